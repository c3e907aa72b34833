#include "backend/cpu/cholesky.hpp"

#include "backend/cpu/intrinsics.hpp"
// Eigen comes after it.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

namespace carbo::internal {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Block = Eigen::Map<RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Rows that one task updates below a diagonal block.
constexpr std::size_t rows_per_task = 192;

Block block(LowerMatrix m, std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
  return Block(m.row(row) + column, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns),
               Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride)));
}

/// Subtracts what earlier columns explain, factors the diagonal block and checks its pivots.
bool factorise_diagonal_block(LowerMatrix matrix, std::size_t first, std::size_t width, double smallest) {
  Block diagonal = block(matrix, first, first, width, width);
  if (first > 0) diagonal.selfadjointView<Eigen::Lower>().rankUpdate(block(matrix, first, 0, width, first), -1.0);
  Eigen::Ref<RowMajor, 0, Eigen::OuterStride<>> in_place(diagonal);
  const Eigen::LLT<Eigen::Ref<RowMajor, 0, Eigen::OuterStride<>>, Eigen::Lower> factor(in_place);
  if (factor.info() != Eigen::Success) return false;
  for (Eigen::Index i = 0; i < diagonal.rows(); ++i) {
    const double pivot = diagonal(i, i) * diagonal(i, i);
    if (!(pivot > smallest)) return false;
  }
  return true;
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
  for (std::size_t first = 0; first < matrix.size; first += cholesky_block) {
    const std::size_t width = std::min(cholesky_block, matrix.size - first);
    if (!factorise_diagonal_block(matrix, first, width, smallest)) return false;
    const std::size_t below = first + width;
    const std::size_t tasks = (matrix.size - below + rows_per_task - 1) / rows_per_task;
    pool.parallel_for(tasks, [&](std::size_t task) {
      const std::size_t row = below + task * rows_per_task;
      const std::size_t rows = std::min(rows_per_task, matrix.size - row);
      Block target = block(matrix, row, first, rows, width);
      if (first > 0)
        target.noalias() -= block(matrix, row, 0, rows, first) * block(matrix, first, 0, width, first).transpose();
      block(matrix, first, first, width, width)
          .triangularView<Eigen::Lower>()
          .transpose()
          .solveInPlace<Eigen::OnTheRight>(target);
    });
  }
  return true;
}

void invert_block_column(LowerMatrix factor, std::size_t first, LowerMatrix inverse) {
  const std::size_t width = std::min(cholesky_block, factor.size - first);
  const std::size_t rows = factor.size - first;
  Block columns = block(inverse, first, first, rows, width);
  columns.setZero();
  columns.topRows(static_cast<Eigen::Index>(width)).setIdentity();
  block(factor, first, first, rows, rows).triangularView<Eigen::Lower>().solveInPlace(columns);
}

void inverse_gram_rows(LowerMatrix inverse, std::size_t first, double* out, std::size_t out_stride) {
  const std::size_t height = std::min(cholesky_block, inverse.size - first);
  const std::size_t below = first + height;
  const LowerMatrix target{out, height, out_stride};
  if (first > 0) {
    Block left = block(target, 0, 0, height, first);
    left.noalias() = block(inverse, first, first, height, height).transpose().triangularView<Eigen::Upper>() *
                     block(inverse, first, 0, height, first);
    if (below < inverse.size)
      left.noalias() += block(inverse, below, first, inverse.size - below, height).transpose() *
                        block(inverse, below, 0, inverse.size - below, first);
  }
  Block diagonal = block(target, 0, first, height, height);
  diagonal.setZero();
  diagonal.selfadjointView<Eigen::Lower>().rankUpdate(
      block(inverse, first, first, inverse.size - first, height).transpose());
}

void solve_lower(LowerMatrix factor, double* x) {
  Eigen::Map<Eigen::VectorXd> vector(x, static_cast<Eigen::Index>(factor.size));
  block(factor, 0, 0, factor.size, factor.size).triangularView<Eigen::Lower>().solveInPlace(vector);
}

void solve_lower_transposed(LowerMatrix factor, double* x) {
  Eigen::Map<Eigen::VectorXd> vector(x, static_cast<Eigen::Index>(factor.size));
  block(factor, 0, 0, factor.size, factor.size).triangularView<Eigen::Lower>().transpose().solveInPlace(vector);
}

void solve_lower_panel(LowerMatrix factor, std::size_t rows, double* panel, std::size_t lanes) {
  const LowerMatrix target{panel, rows, panel_width};
  for (std::size_t first = 0; first < rows; first += solve_block) {
    const std::size_t height = std::min(solve_block, rows - first);
    Block below = block(target, first, 0, height, lanes);
    if (first > 0) below.noalias() -= block(factor, first, 0, height, first) * block(target, 0, 0, first, lanes);
    block(factor, first, first, height, height).triangularView<Eigen::Lower>().solveInPlace(below);
  }
}

}  // namespace carbo::internal
