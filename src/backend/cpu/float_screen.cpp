#include "backend/cpu/float_screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "acquisition/float_margin.hpp"
#include "formulas/matern_float.hpp"

namespace carbo::internal {
namespace {

constexpr double sqrt_5 = 2.23606797749979;
/// Candidates of a panel in float32: whole vectors at every level, the last ones zero.
constexpr std::size_t float_width = (panel_width + 15) / 16 * 16;
/// Columns that one loop takes at once.
constexpr std::size_t columns_at_once = 8;

/// squared[j] (+)= Σ_c (own[c][j] − point[c])²
template <std::size_t Columns, bool Continued>
inline float squared_of(const float* point, const float* own, const float* before, std::size_t j) {
  float squared = Continued ? before[j] : 0.0f;
  for (std::size_t c = 0; c < Columns; ++c) {
    const float difference = own[c * float_width + j] - point[c];
    squared += difference * difference;
  }
  return squared;
}

void add_leading_columns(const float* point, const float* own, float* __restrict squared) {
  for (std::size_t j = 0; j < float_width; ++j)
    squared[j] = squared_of<columns_at_once, true>(point, own, squared, j);
}

/// part[j] += weight · Matérn, by the last columns and what those before left in `before`.
template <std::size_t Columns, bool Continued>
void add_entries(const float* point, float weight, const float* own, const float* before, float* __restrict part) {
  for (std::size_t j = 0; j < float_width; ++j)
    part[j] += weight * kernels::matern_float(squared_of<Columns, Continued>(point, own, before, j));
}

using AddEntries = void (*)(const float*, float, const float*, const float*, float*);

template <bool Continued>
AddEntries entries_of(std::size_t columns) {
  constexpr AddEntries all[columns_at_once] = {
      add_entries<1, Continued>, add_entries<2, Continued>, add_entries<3, Continued>, add_entries<4, Continued>,
      add_entries<5, Continued>, add_entries<6, Continued>, add_entries<7, Continued>, add_entries<8, Continued>};
  return all[columns - 1];
}

}  // namespace

FloatScreen::FloatScreen(const CpuFactor& factor, std::span<const double> weights, std::size_t first_row,
                         double margin_share)
    : columns_(factor.columns()),
      rows_(factor.observed() + factor.background().scales.size()),
      margin_share_(margin_share) {
  const PointColumns points = factor.points();
  const WeightedPoints background = factor.background();
  const double signal_variance = factor.parameters().signal_variance;
  for (std::size_t i = 0; i < factor.observed(); ++i) {
    weights_ += std::abs(signal_variance * weights[i]);
    unit_ = std::max(unit_, std::abs(signal_variance * weights[i]));
  }
  for (const double scale : background.scales) {
    weights_ += std::abs(scale);
    unit_ = std::max(unit_, std::abs(scale));
  }
  for (std::size_t c = 0; c < columns_; ++c) {
    const double* first = points.data + c * points.stride;
    const auto [low, high] = std::minmax_element(first, first + factor.observed());
    centre_.push_back(factor.observed() == 0 ? 0.0 : 0.5 * *low + 0.5 * *high);
  }
  for (std::size_t i = first_row; i < factor.observed(); ++i) add_row(points, i, signal_variance * weights[i]);
  for (std::size_t i = 0; i < background.scales.size(); ++i) add_row(background.points, i, background.scales[i]);
}

void FloatScreen::add_row(const PointColumns& points, std::size_t row, double weight) {
  if (weight == 0) return;
  Rows& rows = weight > 0 ? positive_ : negative_;
  double squares = 0;
  for (std::size_t c = 0; c < columns_; ++c) {
    const double coordinate = sqrt_5 * (points.data[c * points.stride + row] - centre_[c]);
    squares += coordinate * coordinate;
    rows.points.push_back(static_cast<float>(coordinate));
  }
  rows.weights.push_back(static_cast<float>(std::abs(weight) / unit_));
  radius_ = std::max(radius_, std::sqrt(squares));
}

void FloatScreen::add_to(const Rows& rows, const float* coordinates, double* __restrict sum) const {
  constexpr std::size_t rows_at_once = kernels::float_rows;
  alignas(64) float squared[float_width];
  const std::size_t last = (columns_ - 1) / columns_at_once * columns_at_once;
  const AddEntries add = last == 0 ? entries_of<false>(columns_) : entries_of<true>(columns_ - last);
  for (std::size_t first = 0; first < rows.weights.size(); first += rows_at_once) {
    alignas(64) float part[float_width] = {};
    const std::size_t end = std::min(rows.weights.size(), first + rows_at_once);
    for (std::size_t i = first; i < end; ++i) {
      const float* point = rows.points.data() + i * columns_;
      if (last > 0) std::fill_n(squared, float_width, 0.0f);
      for (std::size_t c = 0; c < last; c += columns_at_once)
        add_leading_columns(point + c, coordinates + c * float_width, squared);
      add(point + last, rows.weights[i], coordinates + last * float_width, squared, part);
    }
    for (std::size_t j = 0; j < panel_width; ++j) sum[j] += static_cast<double>(part[j]);
  }
}

void FloatScreen::add_sums(const PointColumns& panel, double* __restrict sum, double* __restrict margin) const {
  std::vector<float> coordinates(columns_ * float_width, 0.0f);
  alignas(64) double squares[panel_width] = {};
  for (std::size_t c = 0; c < columns_; ++c) {
    float* __restrict to = coordinates.data() + c * float_width;
    for (std::size_t j = 0; j < panel_width; ++j) {
      const double coordinate = sqrt_5 * (panel.data[c * panel.stride + j] - centre_[c]);
      squares[j] += coordinate * coordinate;
      to[j] = static_cast<float>(coordinate);
    }
  }
  alignas(64) double positive[panel_width] = {};
  alignas(64) double negative[panel_width] = {};
  add_to(positive_, coordinates.data(), positive);
  add_to(negative_, coordinates.data(), negative);
  const double columns = static_cast<double>(columns_);
  for (std::size_t j = 0; j < panel_width; ++j) {
    const double reach = std::sqrt(squares[j]) + radius_;
    const bool known = kernels::float_margin_exists(reach, columns);
    const double absolute = unit_ * (positive[j] + negative[j]);
    margin[j] = known ? margin_share_ *
                            kernels::float_sum_margin(absolute, weights_, reach, columns, static_cast<double>(rows_))
                      : std::numeric_limits<double>::infinity();
    sum[j] += known ? unit_ * (positive[j] - negative[j]) : 0.0;
  }
}

}  // namespace carbo::internal
