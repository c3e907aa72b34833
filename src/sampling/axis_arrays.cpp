#include "sampling/axis_arrays.hpp"

#include <cmath>

namespace carbo::internal {
namespace {

/// The kind is decided once for all, so that loops hold nothing but their formula.
template <class Formula>
void map_all(const kernels::AxisMap& axis, std::span<const double> from, std::span<double> to,
             const Formula& formula) {
  const kernels::AxisMap own = axis;
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = formula(own, from[i]);
}

}  // namespace

void axis_levels(const kernels::AxisMap& axis, std::span<const double> units, std::span<double> levels) {
  switch (axis.kind) {
    case kernels::AxisKind::real:
      return map_all(axis, units, levels,
                     [](const auto& own, double unit) { return kernels::real_level(own, unit); });
    case kernels::AxisKind::log_real:
      return map_all(axis, units, levels,
                     [](const auto& own, double unit) { return kernels::log_real_level(own, unit); });
    case kernels::AxisKind::log_whole:
      return map_all(axis, units, levels,
                     [](const auto& own, double unit) { return kernels::log_whole_level(own, unit); });
    default:
      map_all(axis, units, levels, [](const auto& own, double unit) { return kernels::whole_level(own, unit); });
  }
}

void axis_coordinates(const kernels::AxisMap& axis, std::span<const double> levels, std::span<double> coordinates) {
  if (kernels::has_log_scale(axis.kind)) {
    map_all(axis, levels, coordinates,
            [](const auto& own, double level) { return kernels::scaled_coordinate(own, std::log(level)); });
  } else {
    map_all(axis, levels, coordinates,
            [](const auto& own, double level) { return kernels::scaled_coordinate(own, level); });
  }
}

}  // namespace carbo::internal
