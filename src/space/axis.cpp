#include "space/axis.hpp"

#include <algorithm>
#include <cmath>

#include "sampling/axis_arrays.hpp"

namespace carbo::internal {
namespace {

kernels::AxisKind kind_of(const Parameter& parameter) {
  const bool log = parameter.scale() == Scale::log;
  switch (parameter.kind()) {
    case ParameterKind::real:
      return log ? kernels::AxisKind::log_real : kernels::AxisKind::real;
    case ParameterKind::categorical:
      return kernels::AxisKind::category;
    default:
      return log ? kernels::AxisKind::log_whole : kernels::AxisKind::whole;
  }
}

kernels::AxisMap map_of(const Parameter& parameter) {
  kernels::AxisMap map;
  map.kind = kind_of(parameter);
  map.lower = parameter.lower();
  map.upper = parameter.upper();
  map.count = static_cast<double>(parameter.cardinality());
  if (parameter.kind() == ParameterKind::discrete) {
    map.lower = 0.0;
    map.upper = static_cast<double>(parameter.values().size() - 1);
  }
  const bool log = kernels::has_log_scale(map.kind);
  map.scaled_lower = log ? std::log(map.lower) : map.lower;
  map.scaled_upper = log ? std::log(map.upper) : map.upper;
  if (map.kind == kernels::AxisKind::log_whole) {
    map.log_first = std::log(map.lower - 0.5);
    map.log_width = std::log(map.upper + 0.5) - map.log_first;
  }
  return map;
}

}  // namespace

Axis::Axis(const Parameter& parameter) : parameter_(&parameter), map_(map_of(parameter)) {}

std::size_t Axis::discrete_position(double number) const {
  const auto& values = parameter_->values();
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), number) - values.begin());
}

double Axis::coordinate(double number) const {
  double coordinate = 0;
  coordinates({&number, 1}, {&coordinate, 1});
  return coordinate;
}

void Axis::coordinates(std::span<const double> numbers, std::span<double> coordinates) const {
  if (parameter_->kind() != ParameterKind::discrete) return axis_coordinates(map_, numbers, coordinates);
  std::ranges::transform(numbers, coordinates.begin(),
                         [&](double number) { return static_cast<double>(discrete_position(number)); });
  axis_coordinates(map_, coordinates, coordinates);
}

double Axis::nearest(double coordinate) const {
  if (map_.kind == kernels::AxisKind::real) return kernels::real_level(map_, coordinate);
  if (map_.kind == kernels::AxisKind::log_real) return kernels::log_real_level(map_, coordinate);
  if (coordinate <= 0.0) return parameter_->lower();
  if (coordinate >= 1.0) return parameter_->upper();
  const double rise = kernels::scaled_rise(map_, coordinate);
  if (map_.kind == kernels::AxisKind::log_whole) {
    // Halfway between whole numbers on a log scale is their geometric mean.
    const double number = std::exp(map_.scaled_lower + rise);
    const double below = std::floor(number);
    return kernels::within(number * number <= below * (below + 1.0) ? below : below + 1.0, map_.lower, map_.upper);
  }
  const double level = map_.lower + std::round(rise);
  if (parameter_->kind() == ParameterKind::discrete) return parameter_->values()[static_cast<std::size_t>(level)];
  return kernels::within(level, map_.lower, map_.upper);
}

double Axis::quantile(double unit) const {
  double number = 0;
  quantiles({&unit, 1}, {&number, 1});
  return number;
}

void Axis::quantiles(std::span<const double> units, std::span<double> numbers) const {
  axis_levels(map_, units, numbers);
  if (parameter_->kind() != ParameterKind::discrete) return;
  for (double& number : numbers) number = parameter_->values()[static_cast<std::size_t>(number)];
}

double Axis::level(std::uint64_t level) const {
  if (parameter_->kind() == ParameterKind::discrete) return parameter_->values()[level];
  return parameter_->lower() + static_cast<double>(level);
}

double Axis::neighbour(double number, int direction) const {
  if (number >= parameter_->upper()) direction = -1;
  if (number <= parameter_->lower()) direction = 1;
  if (parameter_->kind() != ParameterKind::discrete) return number + direction;
  const std::size_t position = discrete_position(number);
  return parameter_->values()[direction > 0 ? position + 1 : position - 1];
}

std::vector<Axis> axes_of(const Space& space) { return {space.parameters().begin(), space.parameters().end()}; }

}  // namespace carbo::internal
