#include "gp/row_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace carbo::internal {
namespace {

/// Rows put in order; the bounds look at no more than these, and the others follow as they came.
constexpr std::size_t rows_ordered = 512;

}  // namespace

std::vector<std::size_t> spread_and_best_order(MatrixView points, std::span<const double> targets,
                                               std::span<const double> inverse_lengthscales) {
  const std::size_t rows = points.rows;
  std::vector<std::size_t> best_first(rows);
  std::iota(best_first.begin(), best_first.end(), std::size_t{0});
  std::stable_sort(best_first.begin(), best_first.end(),
                   [&](std::size_t a, std::size_t b) { return targets[a] < targets[b]; });
  std::vector<double> distance(rows, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> order;
  order.reserve(rows);
  const auto take = [&](std::size_t chosen) {
    order.push_back(chosen);
    for (std::size_t i = 0; i < rows; ++i) {
      double squared = 0;
      for (std::size_t c = 0; c < points.columns; ++c) {
        const double scale = inverse_lengthscales.empty() ? 1.0 : inverse_lengthscales[c];
        const double gap = (points.row(i)[c] - points.row(chosen)[c]) * scale;
        squared += gap * gap;
      }
      distance[i] = std::min(distance[i], squared);
    }
    distance[chosen] = -1.0;  // never the farthest again
  };
  for (auto next_best = best_first.begin(); order.size() < std::min(rows, rows_ordered);) {
    if (order.size() % 2 == 0) {
      while (distance[*next_best] < 0) ++next_best;
      take(*next_best);
    } else {
      take(static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin()));
    }
  }
  for (std::size_t i = 0; i < rows; ++i)
    if (distance[i] >= 0) order.push_back(i);
  return order;
}

}  // namespace carbo::internal
