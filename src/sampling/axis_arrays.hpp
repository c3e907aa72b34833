#pragma once

#include <span>

#include "formulas/axis_map.hpp"

namespace carbo::internal {

/// axis_level of many, bit for bit; spans of one size, which may be the same.
void axis_levels(const kernels::AxisMap& axis, std::span<const double> units, std::span<double> levels);
/// axis_coordinate of many, likewise. Not for categories.
void axis_coordinates(const kernels::AxisMap& axis, std::span<const double> levels, std::span<double> coordinates);

}  // namespace carbo::internal
