#include "bench/support/matern_pass.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "backend/cpu/covariance.hpp"
#include "bench/support/level_loops.hpp"

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
  const LevelLoops& loops = level_loops();
  pool_.parallel_for(sums_.size() / panel_width, [&](std::size_t panel) {
    loops.matern_panel({points_.data(), weights_.data(), weights_.size(),
                        coordinates_.data() + panel * panel_width * columns_, columns_,
                        sums_.data() + panel * panel_width});
  });
}

}  // namespace carbo::bench
