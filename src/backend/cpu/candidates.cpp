#include "backend/cpu/candidates.hpp"

#include <algorithm>
#include <array>
#include <carbo/error.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "backend/checks.hpp"

namespace carbo::internal {

CpuCandidates::CpuCandidates(std::shared_ptr<ThreadPool> pool, std::size_t size, std::size_t columns,
                             std::size_t panels_per_tile)
    : pool_(std::move(pool)), size_(size), columns_(columns), panels_per_tile_(panels_per_tile), available_(size) {
  if (size == 0 || columns == 0) throw InvalidOptions("candidates: at least one row and one column are needed");
  coordinates_.resize(panels() * panel_width * columns_);
  mask_.assign(panels() * panel_width, 0);
  std::fill_n(mask_.begin(), size_, std::uint8_t{1});
  squared_distances_.assign(panels() * panel_width, std::numeric_limits<double>::infinity());
}

CpuCandidates::CpuCandidates(std::shared_ptr<ThreadPool> pool, MatrixView encoded, std::size_t panels_per_tile)
    : CpuCandidates(std::move(pool), encoded.rows, encoded.columns, panels_per_tile) {
  check_finite(encoded, "candidates");
  for_each_panel(1, [&](std::size_t, std::size_t p) {
    for (std::size_t j = 0; j < panel_width; ++j)
      set_coordinates(p, j, encoded.row(std::min(size_ - 1, p * panel_width + j)));
  });
}

CpuCandidates::CpuCandidates(std::shared_ptr<ThreadPool> pool, const SobolRows& rows, std::size_t panels_per_tile)
    : CpuCandidates(std::move(pool), rows.points + rows.others.rows, rows.recipe->columns, panels_per_tile) {
  for_each_panel(1, [&](std::size_t, std::size_t p) {
    const std::size_t first = p * panel_width;
    // Padding repeats the last candidate, which is a point where no other row follows them.
    const std::size_t points_left = rows.points - std::min(first, rows.points);
    const std::size_t lanes = rows.others.rows == 0 ? panel_width : std::min(panel_width, points_left);
    std::array<std::uint32_t, panel_width> indices;
    for (std::size_t j = 0; j < lanes; ++j) {
      const std::size_t point = std::min(rows.points - 1, first + j);
      indices[j] = rows.indices.empty() ? rows.first + static_cast<std::uint32_t>(point) : rows.indices[point];
    }
    encode_sobol_points(*rows.recipe, {indices.data(), lanes}, coordinates_.data() + p * columns_ * panel_width,
                        panel_width);
    for (std::size_t j = lanes; j < panel_width; ++j)
      set_coordinates(p, j, rows.others.row(std::min(size_ - 1, first + j) - rows.points));
  });
}

void CpuCandidates::set_coordinates(std::size_t p, std::size_t lane, std::span<const double> row) {
  double* const panel = coordinates_.data() + p * columns_ * panel_width + lane;
  for (std::size_t c = 0; c < columns_; ++c) panel[c * panel_width] = row[c];
}

void CpuCandidates::exclude(std::span<const std::size_t> indices) {
  for (const std::size_t index : indices) {
    if (!is_available(index)) continue;
    mask_[index] = 0;
    --available_;
  }
}

void CpuCandidates::readmit(std::span<const std::size_t> indices) {
  for (const std::size_t index : indices) {
    if (is_available(index)) continue;
    mask_[index] = 1;
    ++available_;
  }
}

void CpuCandidates::check_index(std::size_t index) const {
  if (index >= size_)
    throw InvalidOptions("candidates: index " + std::to_string(index) + " must lie in [0, " + std::to_string(size_) +
                         ")");
}

bool CpuCandidates::is_available(std::size_t index) const {
  check_index(index);
  return mask_[index] != 0;
}

void CpuCandidates::read(std::span<const std::size_t> indices, std::span<double> to) const {
  check_size(to.size(), indices.size() * columns_, "candidates, room for their coordinates");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    check_index(indices[i]);
    const double* const lane = panel(indices[i] / panel_width).data + indices[i] % panel_width;
    for (std::size_t c = 0; c < columns_; ++c) to[i * columns_ + c] = lane[c * panel_width];
  }
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
