#include "backend/cpu/float_responses.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "acquisition/float_margin.hpp"
#include "backend/cpu/float_entries.hpp"

namespace carbo::internal {
namespace {

/// Correlations of one row with the first `width` candidates, by the last columns and what those before left.
template <std::size_t Columns, bool Continued>
void correlate(const float* point, const float* own, std::size_t width, const float* before, float* __restrict out) {
  for (std::size_t j = 0; j < width; ++j)
    out[j] = kernels::matern_float(float_squared<Columns, Continued>(point, own, before, j));
}

using Correlate = void (*)(const float*, const float*, std::size_t, const float*, float*);

template <bool Continued>
Correlate correlations_of(std::size_t columns) {
  constexpr Correlate all[float_columns] = {correlate<1, Continued>, correlate<2, Continued>, correlate<3, Continued>,
                                            correlate<4, Continued>, correlate<5, Continued>, correlate<6, Continued>,
                                            correlate<7, Continued>, correlate<8, Continued>};
  return all[columns - 1];
}

/// Sums over rows for one point: of `float_rows` rows at a time in float32, and of absolute values.
struct Sums {
  alignas(64) float part[float_width];
  alignas(64) float absolute[float_width];
  alignas(64) double sum[panel_width];

  void add(float weight, const float* __restrict correlations, std::size_t width) {
    const float size = std::abs(weight);
    for (std::size_t j = 0; j < width; ++j) part[j] += weight * correlations[j];
    for (std::size_t j = 0; j < width; ++j) absolute[j] += size * correlations[j];
  }
  void take_part(std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) sum[j] += static_cast<double>(part[j]);
    std::fill_n(part, float_width, 0.0f);
  }
};

/// Σ ρ² over `rows` rows from above: what float32 makes of them, and what it cannot represent.
double squares_from_above(double squares, std::size_t rows) {
  return 1.02 * squares + 1e-24 * static_cast<double>(rows);
}

}  // namespace

FloatResponses::FloatResponses(const CpuFactor& factor, double margin_share)
    : factor_(factor), margin_share_(margin_share) {
  const PointColumns points = factor.points();
  for (std::size_t c = 0; c < points.columns; ++c) {
    const double* first = points.data + c * points.stride;
    const auto [low, high] = std::minmax_element(first, first + factor.observed());
    centre_.push_back(0.5 * *low + 0.5 * *high);
  }
  follow();
}

/// β of the rows before a point, times the signal variance, and of its own.
double FloatResponses::weight(std::size_t point, std::size_t row) const {
  const std::vector<double>& before = factor_.fantasies()[point].weights;
  if (row < before.size()) return before[row];
  return row == before.size() ? -factor_.parameters().signal_variance : 0.0;
}

void FloatResponses::follow() {
  for (std::size_t t = weights_.size(); t < factor_.fantasised(); ++t) {
    Weights own{0, 0};
    for (std::size_t row = 0; row <= factor_.observed() + t; ++row) {
      const double size = std::abs(weight(t, row));
      own.largest = std::max(own.largest, size);
      own.total += size;
    }
    weights_.push_back(own);
  }
  const PointColumns points = factor_.points();
  double most = 0;
  for (std::size_t row = 0; row < factor_.rows(); ++row) {
    double squares = 0;
    for (std::size_t c = 0; c < points.columns; ++c) {
      const double coordinate = sqrt_5 * (points.data[c * points.stride + row] - centre_[c]);
      squares += coordinate * coordinate;
    }
    most = std::max(most, squares);
  }
  radius_ = std::sqrt(most);
}

void FloatResponses::take_row(std::size_t row, float* point) const {
  const PointColumns points = factor_.points();
  for (std::size_t c = 0; c < points.columns; ++c)
    point[c] = static_cast<float>(sqrt_5 * (points.data[c * points.stride + row] - centre_[c]));
}

void FloatResponses::bound(std::size_t first, std::size_t last, const PointColumns& panel, std::size_t count,
                           Bounded& out, double* squares) const {
  const FloatPanel own(panel, centre_, count);
  const std::size_t width = (count + float_multiple - 1) / float_multiple * float_multiple;
  const std::size_t points = last - first, rows = factor_.observed() + last;
  const std::size_t leading = leading_float_columns(panel.columns);
  const Correlate correlate_row =
      leading == 0 ? correlations_of<false>(panel.columns) : correlations_of<true>(panel.columns - leading);
  std::array<Sums, most_points> sums{};
  std::vector<float> point(panel.columns);
  alignas(64) float before[float_width];
  alignas(64) float correlations[float_width];
  alignas(64) float unit_squares[float_width] = {};
  for (std::size_t row = 0; row < rows; ++row) {
    take_row(row, point.data());
    leading_float_squares(point.data(), leading, own.coordinates.data(), width, before);
    correlate_row(point.data() + leading, own.coordinates.data() + leading * float_width, width, before,
                  correlations);
    for (std::size_t s = 0; s < points; ++s)
      sums[s].add(static_cast<float>(weight(first + s, row) / weights_[first + s].largest), correlations, width);
    for (std::size_t j = 0; squares != nullptr && j < width; ++j)
      unit_squares[j] += correlations[j] * correlations[j];
    if ((row + 1) % kernels::float_rows != 0 && row + 1 < rows) continue;
    for (std::size_t s = 0; s < points; ++s) sums[s].take_part(count);
  }
  const double columns = static_cast<double>(panel.columns), prior = factor_.parameters().signal_variance;
  for (std::size_t j = 0; j < count; ++j) {
    const double reach = std::sqrt(own.squares[j]) + radius_;
    const bool known = kernels::float_margin_exists(reach, columns);
    if (squares != nullptr)
      squares[j] = known ? prior * prior * squares_from_above(static_cast<double>(unit_squares[j]), rows) : HUGE_VAL;
    for (std::size_t s = 0; s < points; ++s) {
      const Weights& weights = weights_[first + s];
      const double absolute = weights.largest * static_cast<double>(sums[s].absolute[j]);
      const double margin = margin_share_ * kernels::float_sum_margin(absolute, weights.total, reach, columns,
                                                                      static_cast<double>(rows));
      const kernels::BoundedResponse response = kernels::bounded_response(
          weights.largest * sums[s].sum[j], margin, factor_.fantasies()[first + s].pivot, known);
      out.values[s][j] = response.value;
      out.errors[s][j] = response.error;
    }
  }
}

}  // namespace carbo::internal
