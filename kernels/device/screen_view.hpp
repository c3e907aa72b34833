#pragma once

#include <cstddef>
#include <cstdint>

#include "acquisition/float_variance.hpp"
#include "device/device_views.hpp"
#include "formulas/float_pair.hpp"

namespace carbo::kernels {

/// Rows that are added up in float32 at a time; strides are multiples of it.
inline constexpr int screen_rows = 16;
inline std::size_t screen_stride(std::size_t rows) { return (rows + screen_rows - 1) / screen_rows * screen_rows; }

/// What rows in float32 have in common; see acquisition/float_margin.hpp.
struct ScreenScales {
  double unit;     ///< the largest |w|
  double weights;  ///< Σ |w| over all rows
  double radius;   ///< largest ‖p‖
};

/// Rows of L⁻¹ that kernels in float32 multiply together.
inline constexpr int variance_pass_rows = 128;
inline std::size_t variance_stride(std::size_t rows) {
  return (rows + variance_pass_rows - 1) / variance_pass_rows * variance_pass_rows;
}

/// The first rows of s L⁻¹ in float32; see acquisition/float_variance.hpp.
struct VarianceScreen {
  float* inverse = nullptr;  ///< over its row's unit; element (i, j) at j · stride + i, 0 where there is none
  FloatVarianceRow* units = nullptr;       ///< by row, up to the stride
  const double* inverse_blocks = nullptr;  ///< of L⁻¹ on the diagonal
  const std::uint32_t* chosen = nullptr;   ///< variances are bounded in float32 where this is not 0
  std::size_t stride = 0;                  ///< variance_stride of the rows
  int rows = 0;                            ///< a multiple of substitution_block; 0: there is none
};

/// Posterior means of one GP from below, by correlations in float32 or its pairs. Rows are the observed ones, then
/// those of the background. All pointers are device memory.
struct ScreenTask {
  GpView gp;
  GpView background;       ///< no observed rows where there is none
  float* points;           ///< centred, times √5; coordinate c of row i: c · stride + i
  float* weights;          ///< over the unit; 0 from the last row on
  FloatPair* pair_points;  ///< the same by pairs; null where there are none
  FloatPair* pair_weights;
  double* centre;        ///< of the box round the observed points, scaled; one a column
  ScreenScales* scales;  ///< all above and this by launch_prepare_screens
  std::size_t stride;    ///< all rows, up to a multiple of screen_rows
  double* means;         ///< shift + scale · mean (+ offset), less its margin
  const double* offset;  ///< may be null
  double shift;
  double scale;
  int first_row;            ///< those before it are in `means` already, as a sum; a multiple of screen_rows
  double margin_share;      ///< of the proved margin; below 1 nothing is proved
  std::uint32_t* solved;    ///< becomes 0 where there is no variance to count rows of; else null
  const FirstLook* chosen;  ///< means are computed where this is not in_float64
  VarianceScreen variance;  ///< of the objective's GPs
};

}  // namespace carbo::kernels
