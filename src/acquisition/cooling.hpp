#pragma once

#include <algorithm>
#include <cmath>

#include <carbo/options.hpp>

namespace carbo::internal {

/// α = (τ − τ_k) / (τ − τ_init), kept within [0, 1]; 0 where the design used up the whole budget. Of finite numbers,
/// whatever their size.
inline double cooled_exponent(double budget, double spent, double spent_at_design_end) {
  const bool overflows = !std::isfinite(budget - spent) || !std::isfinite(budget - spent_at_design_end);
  const double unit = overflows ? 0.5 : 1.0;
  const double left_after_design = unit * budget - unit * spent_at_design_end;
  if (!(left_after_design > 0)) return 0.0;
  return std::clamp((unit * budget - unit * spent) / left_after_design, 0.0, 1.0);
}

/// Exponent of the cost in the score of each acquisition.
inline double cost_exponent(Acquisition acquisition, double budget, double spent, double spent_at_design_end) {
  switch (acquisition) {
    case Acquisition::ei_cool:
      return cooled_exponent(budget, spent, spent_at_design_end);
    case Acquisition::ei_per_cost:
      return 1.0;
    case Acquisition::ei:
    case Acquisition::random:
      return 0.0;
  }
  return 0.0;
}

}  // namespace carbo::internal
