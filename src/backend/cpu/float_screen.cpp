#include "backend/cpu/float_screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "acquisition/float_margin.hpp"
#include "backend/cpu/float_entries.hpp"

namespace carbo::internal {
namespace {

/// part[j] += weight · Matérn, by the last columns and what those before left in `before`.
template <std::size_t Columns, bool Continued>
void add_entries(const float* point, float weight, const float* own, const float* before, float* __restrict part) {
  for (std::size_t j = 0; j < float_width; ++j)
    part[j] += weight * kernels::matern_float(float_squared<Columns, Continued>(point, own, before, j));
}

using AddEntries = void (*)(const float*, float, const float*, const float*, float*);

template <bool Continued>
AddEntries entries_of(std::size_t columns) {
  constexpr AddEntries all[float_columns] = {
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
  const std::size_t leading = leading_float_columns(columns_);
  const AddEntries add = leading == 0 ? entries_of<false>(columns_) : entries_of<true>(columns_ - leading);
  for (std::size_t first = 0; first < rows.weights.size(); first += rows_at_once) {
    alignas(64) float part[float_width] = {};
    const std::size_t end = std::min(rows.weights.size(), first + rows_at_once);
    for (std::size_t i = first; i < end; ++i) {
      const float* point = rows.points.data() + i * columns_;
      leading_float_squares(point, leading, coordinates, float_width, squared);
      add(point + leading, rows.weights[i], coordinates + leading * float_width, squared, part);
    }
    for (std::size_t j = 0; j < panel_width; ++j) sum[j] += static_cast<double>(part[j]);
  }
}

void FloatScreen::add_sums(const PointColumns& panel, double* __restrict sum, double* __restrict margin) const {
  const FloatPanel own(panel, centre_, panel_width);
  alignas(64) double positive[panel_width] = {};
  alignas(64) double negative[panel_width] = {};
  add_to(positive_, own.coordinates.data(), positive);
  add_to(negative_, own.coordinates.data(), negative);
  const double columns = static_cast<double>(columns_);
  for (std::size_t j = 0; j < panel_width; ++j) {
    const double reach = std::sqrt(own.squares[j]) + radius_;
    const bool known = kernels::float_margin_exists(reach, columns);
    const double absolute = unit_ * (positive[j] + negative[j]);
    margin[j] = known ? margin_share_ *
                            kernels::float_sum_margin(absolute, weights_, reach, columns, static_cast<double>(rows_))
                      : std::numeric_limits<double>::infinity();
    sum[j] += known ? unit_ * (positive[j] - negative[j]) : 0.0;
  }
}

}  // namespace carbo::internal
