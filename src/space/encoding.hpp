#pragma once

#include <span>

#include "space/axis.hpp"

namespace carbo::internal {

/// Space::encode for many rows: `axes` of the whole space, rows × axes valid numbers, rows × columns encodings.
/// Checks nothing.
void encode_rows(std::span<const Axis> axes, std::span<const double> numbers, std::span<double> encoded);

}  // namespace carbo::internal
