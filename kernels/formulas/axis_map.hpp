#pragma once

#include <cmath>
#include <cstdint>

#include "formulas/host_device.hpp"
#include "formulas/multiply_add.hpp"
#include "formulas/sobol.hpp"

namespace carbo::kernels {

/// How shares of the unit interval become levels of a parameter, and levels coordinates. A level is the number of a
/// configuration, but for discrete parameters, where it is the position of the number among the allowed ones.
enum class AxisKind : int {
  real,
  log_real,
  whole,  ///< equal shares for lower, lower + 1, …, upper
  log_whole,
  category,  ///< equal shares; one-hot instead of a coordinate
};

/// One parameter as formulas see it.
struct AxisMap {
  AxisKind kind = AxisKind::real;
  double lower = 0;  ///< lowest level
  double upper = 1;
  double scaled_lower = 0;  ///< the lowest level, or its logarithm; below scaled_upper, but for categories
  double scaled_upper = 1;
  double count = 0;      ///< levels, where these are whole or categories
  double log_first = 0;  ///< of log_whole: logarithm of lower − 1/2, where the shares begin
  double log_width = 0;  ///< of log_whole: from there to the logarithm of upper + 1/2
};

/// Value of a category's own column; two categories are at distance 1.
inline constexpr double one_hot = 0.70710678118654752440;

CARBO_HOST_DEVICE inline double within(double x, double lower, double upper) {
  return x < lower ? lower : upper < x ? upper : x;
}

/// Level of a real axis on a linear scale; beyond the unit interval, the bound.
CARBO_HOST_DEVICE inline double real_level(const AxisMap& axis, double unit) {
  const double level = within(multiply_add(unit, axis.upper - axis.lower, axis.lower), axis.lower, axis.upper);
  return unit <= 0.0 ? axis.lower : unit >= 1.0 ? axis.upper : level;
}

/// How far a unit number in [0, 1] lies above the lower end of the scale. The comparisons keep compilers from fusing
/// the product with a sum that it enters: bits do not depend on where this is inlined.
CARBO_HOST_DEVICE inline double scaled_rise(const AxisMap& axis, double unit) {
  const double width = axis.scaled_upper - axis.scaled_lower;
  return within(unit * width, 0.0, width);
}

CARBO_HOST_DEVICE inline double log_real_level(const AxisMap& axis, double unit) {
  if (unit <= 0.0) return axis.lower;
  if (unit >= 1.0) return axis.upper;
  return within(std::exp(axis.scaled_lower + scaled_rise(axis, unit)), axis.lower, axis.upper);
}

/// Also of categories. `unit` lies in [0, 1]; 1 belongs to the last share.
CARBO_HOST_DEVICE inline double whole_level(const AxisMap& axis, double unit) {
  const double share = std::floor(unit * axis.count);
  const double level = axis.lower + (axis.count - 1.0 < share ? axis.count - 1.0 : share);
  return axis.upper < level ? axis.upper : level;
}

CARBO_HOST_DEVICE inline double log_whole_level(const AxisMap& axis, double unit) {
  return within(std::round(std::exp(multiply_add(unit, axis.log_width, axis.log_first))), axis.lower, axis.upper);
}

/// Level at a quantile in [0, 1].
CARBO_HOST_DEVICE inline double axis_level(const AxisMap& axis, double unit) {
  switch (axis.kind) {
    case AxisKind::real:
      return real_level(axis, unit);
    case AxisKind::log_real:
      return log_real_level(axis, unit);
    case AxisKind::log_whole:
      return log_whole_level(axis, unit);
    case AxisKind::whole:
    case AxisKind::category:
      break;
  }
  return whole_level(axis, unit);
}

/// Coordinate in [0, 1] of a level on the axis's scale (of its logarithm where the scale is logarithmic).
CARBO_HOST_DEVICE inline double scaled_coordinate(const AxisMap& axis, double scaled) {
  return within((scaled - axis.scaled_lower) / (axis.scaled_upper - axis.scaled_lower), 0.0, 1.0);
}

CARBO_HOST_DEVICE inline bool has_log_scale(AxisKind kind) {
  return kind == AxisKind::log_real || kind == AxisKind::log_whole;
}

/// Not for categories.
CARBO_HOST_DEVICE inline double axis_coordinate(const AxisMap& axis, double level) {
  return scaled_coordinate(axis, has_log_scale(axis.kind) ? std::log(level) : level);
}

/// One dimension of a scrambled Sobol sample of a space, whole: what a backend needs to make its encoded columns.
struct SobolAxis {
  AxisMap map;
  int first_column = 0;
  int columns = 1;                         ///< 1, or the categories
  PhiloxBlock key{};                       ///< of the scrambling
  std::uint32_t directions[sobol_bits]{};  ///< see SobolDirections
};

/// Value in column first_column + `column` of a point whose level on this axis is `level`.
CARBO_HOST_DEVICE inline double encoded_value(const SobolAxis& axis, double level, int column) {
  if (axis.map.kind != AxisKind::category) return axis_coordinate(axis.map, level);
  return static_cast<double>(column) == level ? one_hot : 0.0;
}

/// Level of Sobol point `index`.
CARBO_HOST_DEVICE inline double sobol_level(const SobolAxis& axis, std::uint32_t index) {
  return axis_level(axis.map, sobol_unit(owen_scramble(sobol_word(axis.directions, index), axis.key)));
}

}  // namespace carbo::kernels
