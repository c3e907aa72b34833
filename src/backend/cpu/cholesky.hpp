#pragma once

#include <cstddef>

#include "backend/cpu/products.hpp"
#include "backend/row_noise.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// Row-major square matrix in somebody else's memory; only the lower triangle has meaning. Strides are those of
/// matrix_stride for as many rows or more.
struct LowerMatrix {
  double* data = nullptr;
  std::size_t size = 0;
  std::size_t stride = 0;

  double* row(std::size_t i) const { return data + i * stride; }
};

/// Lower triangle of signal_variance · Matérn over scaled points, with the noise on its diagonal.
void fill_gram(ThreadPool& pool, const PointColumns& points, double signal_variance, const RowNoise& noise,
               LowerMatrix gram);

/// In place K → L. False where a pivot ℓ² is not above `smallest`; the matrix is then spoilt.
bool factorise(ThreadPool& pool, LowerMatrix matrix, double smallest);

/// Columns [first, first + width) of L⁻¹ from row `first` down, into the same place of `inverse`; zero above the
/// diagonal inside its diagonal block. `first` is a multiple of cholesky_block.
void invert_block_column(LowerMatrix factor, std::size_t first, LowerMatrix inverse);

/// Rows [first, first + height) of the lower triangle of L⁻ᵀL⁻¹, into a row-major height × (first + height) array
/// with such a stride.
void inverse_gram_rows(LowerMatrix inverse, std::size_t first, double* out, std::size_t out_stride);

/// x ← L⁻¹x and x ← L⁻ᵀx for the leading `size` rows.
void solve_lower(LowerMatrix factor, double* x);
void solve_lower_transposed(LowerMatrix factor, double* x);
/// First `rows` rows and `lanes` columns of panel (row-major, panel_width apart) ← L⁻¹ panel; `lanes` as by
/// lanes_for. A value's bits depend neither on these nor on where in the panel a candidate stands.
void solve_lower_panel(LowerMatrix factor, std::size_t rows, double* panel, std::size_t lanes = panel_width);

}  // namespace carbo::internal
