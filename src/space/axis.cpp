#include "space/axis.hpp"

#include <algorithm>
#include <cmath>

namespace carbo::internal {
namespace {

/// Share `unit` of `count` equal shares, with unit = 1 in the last.
double share(double unit, double count) { return std::min(std::floor(unit * count), count - 1.0); }

/// Number at a coordinate of a real parameter on a linear scale.
double on_line(double coordinate, double lower, double upper) {
  const double number = std::clamp(lower + coordinate * (upper - lower), lower, upper);
  return coordinate <= 0.0 ? lower : coordinate >= 1.0 ? upper : number;
}

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

double Axis::coordinate(double number) const {
  double coordinate = 0;
  coordinates({&number, 1}, {&coordinate, 1});
  return coordinate;
}

void Axis::coordinates(std::span<const double> numbers, std::span<double> coordinates) const {
  const auto scale_all = [&](const auto& scaled) {
    const double lower = lower_;
    const double width = upper_ - lower_;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      coordinates[i] = std::clamp((scaled(numbers[i]) - lower) / width, 0.0, 1.0);
    }
  };
  if (parameter_->kind() == ParameterKind::discrete) {
    scale_all([&](double number) { return static_cast<double>(discrete_position(number)); });
  } else if (parameter_->scale() == Scale::log) {
    scale_all([](double number) { return std::log(number); });
  } else {
    scale_all([](double number) { return number; });
  }
}

double Axis::nearest(double coordinate) const {
  if (parameter_->kind() == ParameterKind::real && parameter_->scale() == Scale::linear) {
    return on_line(coordinate, lower_, upper_);
  }
  if (coordinate <= 0.0) return parameter_->lower();
  if (coordinate >= 1.0) return parameter_->upper();
  const double scaled = lower_ + coordinate * (upper_ - lower_);
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
  double number = 0;
  quantiles({&unit, 1}, {&number, 1});
  return number;
}

void Axis::quantiles(std::span<const double> units, std::span<double> numbers) const {
  const auto map_all = [&](const auto& number_at) {
    for (std::size_t i = 0; i < units.size(); ++i) numbers[i] = number_at(units[i]);
  };
  const double lower = parameter_->lower();
  const double upper = parameter_->upper();
  const bool log = parameter_->scale() == Scale::log;
  if (parameter_->kind() == ParameterKind::real) {
    if (log) return map_all([&](double unit) { return nearest(unit); });
    return map_all([lower, upper](double unit) { return on_line(unit, lower, upper); });
  }
  if (log) {
    const double first = std::log(lower - 0.5);
    const double width = std::log(upper + 0.5) - first;
    return map_all([=](double unit) { return std::clamp(std::round(std::exp(first + unit * width)), lower, upper); });
  }
  const double count = static_cast<double>(parameter_->cardinality());
  if (parameter_->kind() == ParameterKind::discrete) {
    const double* const values = parameter_->values().data();
    return map_all([=](double unit) { return values[static_cast<std::size_t>(share(unit, count))]; });
  }
  map_all([=](double unit) { return std::min(lower + share(unit, count), upper); });
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
