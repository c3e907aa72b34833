#include "backend/cpu/cholesky.hpp"

#include "backend/cpu/intrinsics.hpp"
// Eigen comes after it.
#include <Eigen/Core>
#include <algorithm>

namespace carbo::internal {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Block = Eigen::Map<const RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Columns right of a diagonal block that one task updates.
constexpr std::size_t columns_per_task = 192;

Block block(LowerMatrix m, std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
  return Block(m.row(row) + column, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns),
               Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride)));
}

}  // namespace

void fill_gram(ThreadPool& pool, const PointColumns& points, double signal_variance, const RowNoise& noise,
               LowerMatrix gram) {
  const std::size_t tasks = (gram.size + cholesky_block - 1) / cholesky_block;
  pool.parallel_for(tasks, [&](std::size_t task) {
    const std::size_t end = std::min(gram.size, (task + 1) * cholesky_block);
    for (std::size_t i = task * cholesky_block; i < end; ++i) {
      covariance_row(points.data + i, points.stride, points, i + 1, signal_variance, gram.row(i));
      gram.row(i)[i] = signal_variance + noise.at(i);
    }
  });
}

bool factorise(ThreadPool& pool, LowerMatrix matrix, double smallest) {
  const std::size_t size = matrix.size, stride = matrix.stride;
  mirror_lower(matrix.data, stride, size);
  for (std::size_t first = 0; first < size; first += cholesky_block) {
    const std::size_t below = std::min(size, first + cholesky_block);
    if (!factorise_rows(matrix.data, stride, first, below, smallest)) return false;
    const std::size_t tasks = (size - below + columns_per_task - 1) / columns_per_task;
    pool.parallel_for(tasks, [&](std::size_t task) {
      const std::size_t column = below + task * columns_per_task;
      const std::size_t columns = std::min(columns_per_task, size - column);
      eliminate_rows(matrix.data, stride, first, below, column, columns);
    });
  }
  mirror_upper(matrix.data, stride, size);
  return true;
}

void invert_block_column(LowerMatrix factor, std::size_t first, LowerMatrix inverse) {
  const std::size_t width = std::min(cholesky_block, factor.size - first);
  const std::size_t columns = (width + narrow_multiple - 1) / narrow_multiple * narrow_multiple;
  for (std::size_t i = first; i < factor.size; ++i) std::fill_n(inverse.row(i) + first, columns, 0.0);
  for (std::size_t i = first; i < first + width; ++i) inverse.row(i)[i] = 1.0;
  solve_columns({factor.row(first) + first, factor.stride}, factor.size - first, inverse.row(first) + first,
                inverse.stride, columns);
}

void inverse_gram_rows(LowerMatrix inverse, std::size_t first, double* out, std::size_t out_stride) {
  const std::size_t height = std::min(cholesky_block, inverse.size - first);
  multiply_transposed(inverse.data, inverse.stride, inverse.size, first, height, out, out_stride);
}

void solve_lower(LowerMatrix factor, double* x) {
  Eigen::Map<Eigen::VectorXd> vector(x, static_cast<Eigen::Index>(factor.size));
  block(factor, 0, 0, factor.size, factor.size).triangularView<Eigen::Lower>().solveInPlace(vector);
}

void solve_lower_transposed(LowerMatrix factor, double* x) {
  Eigen::Map<Eigen::VectorXd> vector(x, static_cast<Eigen::Index>(factor.size));
  block(factor, 0, 0, factor.size, factor.size).transpose().triangularView<Eigen::Upper>().solveInPlace(vector);
}

void solve_lower_panel(LowerMatrix factor, std::size_t rows, double* panel, std::size_t lanes) {
  solve_columns({factor.data, factor.stride}, rows, panel, panel_width, lanes);
}

}  // namespace carbo::internal
