#include "space/axis.hpp"

#include <algorithm>
#include <cmath>

namespace carbo::internal {
namespace {

/// Share `unit` of `count` equal shares, with unit = 1 in the last.
double share(double unit, double count) { return std::min(std::floor(unit * count), count - 1.0); }

}  // namespace

Axis::Axis(const Parameter& parameter)
    : parameter_(&parameter), lower_(parameter.lower()), upper_(parameter.upper()) {
  if (parameter.scale() == Scale::log) {
    lower_ = std::log(lower_);
    upper_ = std::log(upper_);
  } else if (parameter.kind() == ParameterKind::discrete) {
    lower_ = 0.0;
    upper_ = static_cast<double>(parameter.values().size() - 1);
  }
}

std::size_t Axis::discrete_position(double number) const {
  const auto& values = parameter_->values();
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), number) - values.begin());
}

double Axis::interpolate(double coordinate) const { return lower_ + coordinate * (upper_ - lower_); }

double Axis::coordinate(double number) const {
  double scaled = number;
  if (parameter_->kind() == ParameterKind::discrete) scaled = static_cast<double>(discrete_position(number));
  if (parameter_->scale() == Scale::log) scaled = std::log(number);
  return std::clamp((scaled - lower_) / (upper_ - lower_), 0.0, 1.0);
}

double Axis::nearest(double coordinate) const {
  if (coordinate <= 0.0) return parameter_->lower();
  if (coordinate >= 1.0) return parameter_->upper();
  const double scaled = interpolate(coordinate);
  if (parameter_->kind() == ParameterKind::discrete) {
    return parameter_->values()[static_cast<std::size_t>(std::round(scaled))];
  }
  double number = scaled;
  if (parameter_->scale() == Scale::log) {
    number = std::exp(scaled);
    if (parameter_->kind() == ParameterKind::integer) {
      // Halfway between whole numbers on a log scale is their geometric mean.
      const double below = std::floor(number);
      number = number * number <= below * (below + 1.0) ? below : below + 1.0;
    }
  } else if (parameter_->kind() != ParameterKind::real) {
    number = parameter_->lower() + std::round(coordinate * (upper_ - lower_));
  }
  return std::clamp(number, parameter_->lower(), parameter_->upper());
}

double Axis::quantile(double unit) const {
  if (parameter_->kind() == ParameterKind::real) return nearest(unit);
  if (parameter_->scale() == Scale::log) {
    const double first = std::log(parameter_->lower() - 0.5);
    const double last = std::log(parameter_->upper() + 0.5);
    const double number = std::round(std::exp(first + unit * (last - first)));
    return std::clamp(number, parameter_->lower(), parameter_->upper());
  }
  const double position = share(unit, static_cast<double>(parameter_->cardinality()));
  if (parameter_->kind() == ParameterKind::discrete) return parameter_->values()[static_cast<std::size_t>(position)];
  return std::min(parameter_->lower() + position, parameter_->upper());
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
