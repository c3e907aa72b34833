#include <algorithm>
#include <cmath>
#include <limits>

#include "acquisition/choose.hpp"
#include "engine/optimizer_state.hpp"

namespace carbo {

/// EI / c by the cost's median, whatever the search goes by: the highest is what decides.
kernels::AcquisitionSpec Optimizer::State::worth_rule() const {
  return internal::make_spec(Acquisition::ei_per_cost, 1.0, CostWeight::median, models_.objective_scale());
}

Optimizer::State::WorthCheck Optimizer::State::check_worth(const internal::Scored& best, double parameter) const {
  WorthCheck check;
  if (best.index == internal::Scored::none) return check;
  // In logarithms: the lowest c / EI may pass the range of doubles, and a comparison must not.
  const double slope = models_.objective_slope();
  if (slope > 0) {
    const double log_break_even = -best.score - std::log(slope);
    check.break_even_price = std::min(std::exp(log_break_even), std::numeric_limits<double>::max());
    if (options_.stopping.price) check.stop = std::log(*options_.stopping.price) < log_break_even;
  }
  if (!options_.stopping.price && options_.acquisition == Acquisition::gittins)
    check.stop = -std::log(parameter) < -best.score - std::log(models_.objective_scale());
  return check;
}

}  // namespace carbo
