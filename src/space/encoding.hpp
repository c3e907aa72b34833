#pragma once

#include <span>

#include "space/axis.hpp"

namespace carbo::internal {

/// Space::encode for many rows: `axes` of the whole space, valid numbers (one an axis), all encoded columns.
/// Checks nothing.
void encode_row(std::span<const Axis> axes, std::span<const double> numbers, std::span<double> encoded);

}  // namespace carbo::internal
