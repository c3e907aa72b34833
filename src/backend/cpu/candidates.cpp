#include "backend/cpu/candidates.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "backend/cpu/checks.hpp"

namespace carbo::internal {

CpuCandidates::CpuCandidates(std::shared_ptr<ThreadPool> pool, MatrixView encoded, std::size_t panels_a_tile)
    : pool_(std::move(pool)),
      size_(encoded.rows),
      columns_(encoded.columns),
      panels_a_tile_(panels_a_tile),
      available_(encoded.rows) {
  if (encoded.rows == 0 || encoded.columns == 0)
    throw InvalidOptions("candidates: at least one row and one column are needed");
  check_finite(encoded, "candidates");
  coordinates_.resize(panels() * panel_width * columns_);
  mask_.assign(panels() * panel_width, 0);
  std::fill_n(mask_.begin(), size_, std::uint8_t{1});
  squared_distances_.assign(panels() * panel_width, std::numeric_limits<double>::infinity());
  for_each_panel(1, [&](std::size_t, std::size_t p) {
    double* panel = coordinates_.data() + p * columns_ * panel_width;
    for (std::size_t j = 0; j < panel_width; ++j) {
      const std::span<const double> row = encoded.row(std::min(size_ - 1, p * panel_width + j));
      for (std::size_t c = 0; c < columns_; ++c) panel[c * panel_width + j] = row[c];
    }
  });
}

void CpuCandidates::exclude(std::span<const std::size_t> indices) {
  for (const std::size_t index : indices) {
    if (!is_available(index)) continue;
    mask_[index] = 0;
    --available_;
  }
}

bool CpuCandidates::is_available(std::size_t index) const {
  if (index >= size_)
    throw InvalidOptions("candidates: index " + std::to_string(index) + " must lie in [0, " + std::to_string(size_) +
                         ")");
  return mask_[index] != 0;
}

void CpuCandidates::set_design(MatrixView points) {
  if (points.rows > 0) check_size(points.columns, columns_, "set_design, columns");
  check_finite(points, "set_design, points");
  for_each_panel(1, [&](std::size_t, std::size_t p) {
    alignas(64) double squared[panel_width];
    double* nearest = squared_distances_.data() + p * panel_width;
    std::fill_n(nearest, panel_width, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < points.rows; ++i) {
      squared_distances(points.row(i).data(), 1, panel(p), 0, panel_width, squared);
      for (std::size_t j = 0; j < panel_width; ++j) nearest[j] = squared[j] < nearest[j] ? squared[j] : nearest[j];
    }
  });
}

void CpuCandidates::add_design_point(std::span<const double> point) {
  check_size(point.size(), columns_, "add_design_point, coordinates");
  check_finite(point, "add_design_point");
  for_each_panel(1, [&](std::size_t, std::size_t p) {
    alignas(64) double squared[panel_width];
    double* nearest = squared_distances_.data() + p * panel_width;
    squared_distances(point.data(), 1, panel(p), 0, panel_width, squared);
    for (std::size_t j = 0; j < panel_width; ++j) nearest[j] = squared[j] < nearest[j] ? squared[j] : nearest[j];
  });
}

double CpuCandidates::fill() const {
  const auto end = squared_distances_.begin() + static_cast<std::ptrdiff_t>(size_);
  return std::sqrt(*std::max_element(squared_distances_.begin(), end));
}

}  // namespace carbo::internal
