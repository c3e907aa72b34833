#include "gp/row_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace carbo::internal {
namespace {

using Rows = std::span<std::size_t>;

std::size_t widest_column(MatrixView points, Rows rows) {
  std::size_t widest = 0;
  double most = -1;
  for (std::size_t c = 0; c < points.columns; ++c) {
    double low = points.row(rows.front())[c], high = low;
    for (const std::size_t row : rows) {
      low = std::min(low, points.row(row)[c]);
      high = std::max(high, points.row(row)[c]);
    }
    if (high - low > most) widest = c;
    most = std::max(most, high - low);
  }
  return widest;
}

void split(MatrixView points, Rows rows, std::size_t parts, std::vector<std::vector<std::size_t>>& blocks) {
  if (parts == 1) {
    std::sort(rows.begin(), rows.end());
    blocks.emplace_back(rows.begin(), rows.end());
    return;
  }
  const std::size_t column = widest_column(points, rows);
  const std::size_t below = parts / 2;
  const std::size_t cut = rows.size() * below / parts;
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cut), rows.end(),
                   [&](std::size_t a, std::size_t b) {
                     return std::pair(points.row(a)[column], a) < std::pair(points.row(b)[column], b);
                   });
  split(points, rows.first(cut), below, blocks);
  split(points, rows.subspan(cut), parts - below, blocks);
}

}  // namespace

std::vector<std::vector<std::size_t>> neighbour_blocks(MatrixView points, std::size_t most) {
  std::vector<std::size_t> rows(points.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> blocks;
  split(points, rows, (points.rows + most - 1) / most, blocks);
  return blocks;
}

}  // namespace carbo::internal
