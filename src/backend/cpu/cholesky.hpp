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
  /// Where its transpose is being made.
  Strips upper() const { return Strips::row_major(data, stride); }
};

/// Upper triangle of signal_variance · Matérn over `size` scaled points, with the noise on its diagonal.
void fill_gram(ThreadPool& pool, const PointColumns& points, std::size_t size, double signal_variance,
               const RowNoise& noise, Strips gram);

/// In place K → U, K = UᵀU, upper triangles of `size` rows; spoils what is below. False where a pivot² is not above
/// `smallest`: the matrix is then spoilt.
bool factorise(ThreadPool& pool, Strips matrix, std::size_t size, double smallest);

/// x ← L⁻¹x and x ← L⁻ᵀx for the leading `size` rows.
void solve_lower(LowerMatrix factor, double* x);
void solve_lower_transposed(LowerMatrix factor, double* x);
/// First `rows` rows and `lanes` columns of panel (row-major, panel_width apart) ← L⁻¹ panel; `lanes` as by
/// lanes_for. A value's bits depend neither on these nor on where in the panel a candidate stands.
void solve_lower_panel(LowerMatrix factor, std::size_t rows, double* panel, std::size_t lanes = panel_width);

}  // namespace carbo::internal
