#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <carbo/space.hpp>

#include "formulas/axis_map.hpp"

namespace carbo::internal {

/// Maps between the numbers of one checked parameter and coordinates in [0, 1], with its logarithms taken once.
/// Refers to the parameter. A coordinate places real and integer values by their scale, ordinal and discrete ones
/// by their position; a categorical has no coordinate, only shares of the unit interval.
class Axis {
 public:
  explicit Axis(const Parameter& parameter);

  const Parameter& parameter() const { return *parameter_; }
  /// The formulas' view of it; levels of discrete parameters are positions.
  const kernels::AxisMap& map() const { return map_; }

  /// Coordinate in [0, 1] of a number that belongs to the parameter. Not for categoricals.
  double coordinate(double number) const;
  /// Number nearest to a coordinate in the unit interval; beyond it, the bound. The inverse of coordinate(): exact
  /// for finite parameters (integers while their bounds stay below 2^44), to rounding for reals. Not for
  /// categoricals.
  double nearest(double coordinate) const;
  /// Number at a quantile in [0, 1]: see Space::from_unit.
  double quantile(double unit) const;
  /// coordinate() and quantile() of many, bit for bit; spans of one size.
  void coordinates(std::span<const double> numbers, std::span<double> coordinates) const;
  void quantiles(std::span<const double> units, std::span<double> numbers) const;
  /// The `level`-th value of a finite parameter, ascending, from 0.
  double level(std::uint64_t level) const;
  /// The next value up (+1) or down (−1); the one on the other side at a bound. Integer, ordinal and discrete only.
  double neighbour(double number, int direction) const;

 private:
  std::size_t discrete_position(double number) const;

  const Parameter* parameter_;
  kernels::AxisMap map_;
};

/// One axis a parameter, in order. They refer to the space's parameters.
std::vector<Axis> axes_of(const Space& space);

}  // namespace carbo::internal
