#pragma once

#include <cmath>

#include <carbo/observation.hpp>
#include <carbo/space.hpp>

namespace carbo::test {

inline Space box() { return Space{real("x", 0.0, 1.0), real("y", 0.0, 1.0), real("z", 0.0, 1.0)}; }

inline Evaluation evaluate_box(const Configuration& c) {
  const double x = c.real("x"), y = c.real("y"), z = c.real("z");
  return {std::sin(5 * x) + (y - 0.3) * (y - 0.3) + 0.3 * std::cos(7 * z * x), 0.5 + 2 * x + y};
}

}  // namespace carbo::test
