#include "bench/support/matern_pass.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "backend/cpu/covariance.hpp"

namespace carbo::bench {

using internal::panel_width;

MaternPass::MaternPass(internal::MatrixView points, internal::MatrixView candidates,
                       std::span<const double> inverse_lengthscales, std::vector<double> weights)
    : columns_(points.columns), weights_(std::move(weights)), points_(points.rows * points.columns), pool_(0) {
  const std::size_t columns = columns_;
  if (candidates.columns != columns || inverse_lengthscales.size() != columns)
    throw std::invalid_argument("MaternPass: points, candidates and lengthscales must have as many columns");
  if (weights_.size() != points.rows) throw std::invalid_argument("MaternPass: one weight a point is needed");
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t c = 0; c < columns; ++c)
      points_[c * points.rows + i] = points.row(i)[c] * inverse_lengthscales[c];
  sums_.resize((candidates.rows + panel_width - 1) / panel_width * panel_width);
  coordinates_.reserve(sums_.size() * columns);
  std::fill_n(coordinates_.data(), sums_.size() * columns, 0.0);
  for (std::size_t j = 0; j < candidates.rows; ++j)
    for (std::size_t c = 0; c < columns; ++c)
      coordinates_.data()[(j / panel_width * columns + c) * panel_width + j % panel_width] =
          candidates.row(j)[c] * inverse_lengthscales[c];
}

void MaternPass::run() {
  // Known to the compiler where there are six, which makes the limit harder to reach.
  pool_.parallel_for(sums_.size() / panel_width, [&](std::size_t panel) {
    if (columns_ == 6)
      run_panel(panel, std::integral_constant<std::size_t, 6>{});
    else
      run_panel(panel, columns_);
  });
}

template <class Columns>
void MaternPass::run_panel(std::size_t panel, Columns columns) {
  alignas(64) double squared[panel_width];
  alignas(64) double sum[panel_width] = {};
  const internal::PointColumns own{coordinates_.data() + panel * panel_width * columns, panel_width, columns};
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    internal::squared_distances(points_.data() + i, weights_.size(), own, 0, panel_width, squared);
    internal::add_matern_row(squared, panel_width, weights_[i], sum);
  }
  std::copy_n(sum, panel_width, sums_.data() + panel * panel_width);
}

}  // namespace carbo::bench
