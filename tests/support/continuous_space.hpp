#pragma once

#include <cstddef>
#include <vector>

#include <carbo/space.hpp>

#include "support/text.hpp"

namespace carbo::test {

/// x0, x1, … in [0, 1].
inline Space continuous(std::size_t parameters) {
  std::vector<Parameter> list;
  for (std::size_t i = 0; i < parameters; ++i) list.push_back(real(internal::text("x", i), 0, 1));
  return Space(list);
}

}  // namespace carbo::test
