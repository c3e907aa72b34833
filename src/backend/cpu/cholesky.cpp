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

void fill_gram(ThreadPool& pool, const PointColumns& points, std::size_t size, double signal_variance,
               const RowNoise& noise, Strips gram) {
  const std::size_t tasks = (size + cholesky_block - 1) / cholesky_block;
  pool.parallel_for(tasks, [&](std::size_t task) {
    alignas(64) double squared[panel_width];
    const std::size_t end = std::min(size, (task + 1) * cholesky_block);
    for (std::size_t i = task * cholesky_block; i < end; ++i) {
      for (std::size_t first = i / narrow_multiple * narrow_multiple; first < size; first += panel_width) {
        const std::size_t width = std::min(panel_width, padded(size) - first);
        squared_distances(points.data + i, points.stride, points, first, width, squared);
        for (std::size_t j = 0; j < width; j += narrow_multiple)
          matern_row(squared + j, std::min(narrow_multiple, width - j), signal_variance, gram.at(i, first + j));
      }
      *gram.at(i, i) = signal_variance + noise.at(i);
    }
  });
}

bool factorise(ThreadPool& pool, Strips matrix, std::size_t size, double smallest) {
  for (std::size_t first = 0; first < size; first += cholesky_block) {
    const std::size_t below = std::min(size, first + cholesky_block);
    if (!factorise_rows(matrix, first, below, smallest)) return false;
    const std::size_t tasks = (size - below + columns_per_task - 1) / columns_per_task;
    pool.parallel_for(tasks, [&](std::size_t task) {
      const std::size_t column = below + task * columns_per_task;
      eliminate_rows(matrix, first, below, column, std::min(columns_per_task, size - column));
    });
  }
  return true;
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
