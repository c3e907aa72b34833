#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "backend/cpu/covariance.hpp"
#include "formulas/matern_float.hpp"

namespace carbo::internal {

// Correlations of candidates with rows in float32. Coordinates are divided by the lengthscales, centred and times √5;
// those of candidates lie by columns, float_width apart.

inline constexpr double sqrt_5 = 2.23606797749979;
/// Candidates that make whole vectors at every level.
inline constexpr std::size_t float_multiple = 16;
/// Candidates of a panel in float32, the last ones zero.
inline constexpr std::size_t float_width = (panel_width + float_multiple - 1) / float_multiple * float_multiple;
/// Columns that one loop takes at once.
inline constexpr std::size_t float_columns = 8;

/// squared[j] (+)= Σ_c (own[c][j] − point[c])²
template <std::size_t Columns, bool Continued>
inline float float_squared(const float* point, const float* own, const float* before, std::size_t j) {
  float squared = Continued ? before[j] : 0.0f;
  for (std::size_t c = 0; c < Columns; ++c) {
    const float difference = own[c * float_width + j] - point[c];
    squared += difference * difference;
  }
  return squared;
}

/// All columns but the last ones, which are 1 to float_columns: squared[j] for the first `width` candidates.
inline void leading_float_squares(const float* point, std::size_t leading, const float* own, std::size_t width,
                                  float* __restrict squared) {
  for (std::size_t j = 0; leading > 0 && j < width; ++j) squared[j] = 0.0f;
  for (std::size_t c = 0; c < leading; c += float_columns)
    for (std::size_t j = 0; j < width; ++j)
      squared[j] = float_squared<float_columns, true>(point + c, own + c * float_width, squared, j);
}

inline std::size_t leading_float_columns(std::size_t columns) {
  return (columns - 1) / float_columns * float_columns;
}

/// Candidates of a panel in float32.
struct FloatPanel {
  std::vector<float> coordinates;  ///< columns × float_width
  alignas(64) double squares[panel_width] = {};

  /// The first `count` of `panel`, which is scaled by the lengthscales.
  FloatPanel(const PointColumns& panel, const std::vector<double>& centre, std::size_t count)
      : coordinates(panel.columns * float_width, 0.0f) {
    for (std::size_t c = 0; c < panel.columns; ++c) {
      float* __restrict to = coordinates.data() + c * float_width;
      for (std::size_t j = 0; j < count; ++j) {
        const double coordinate = sqrt_5 * (panel.data[c * panel.stride + j] - centre[c]);
        squares[j] += coordinate * coordinate;
        to[j] = static_cast<float>(coordinate);
      }
    }
  }
};

}  // namespace carbo::internal
