#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cost/linear_fit.hpp"
#include "support/random.hpp"

namespace carbo::internal {

inline constexpr CostError cost_errors[] = {CostError::relative, CostError::absolute};

/// Costs and features that a test owns.
struct LinearCase {
  std::size_t columns = 0;
  std::vector<double> features;  ///< row-major
  std::vector<double> costs;
  std::vector<std::uint8_t> censored;
  std::vector<std::uint8_t> work;
  CostError error = CostError::relative;
  double threshold = 1.345;
  std::optional<double> scale{};

  std::size_t rows() const { return costs.size(); }
  std::span<const double> row(std::size_t i) const { return {features.data() + i * columns, columns}; }

  void add(const std::vector<double>& values, double cost, bool is_censored = false) {
    features.insert(features.end(), values.begin(), values.end());
    costs.push_back(cost);
    censored.push_back(is_censored ? 1 : 0);
  }

  LinearFit fit() const {
    return fit_linear({{features.data(), rows(), columns}, costs, censored},
                      {.error = error, .work = work, .threshold = threshold, .scale = scale});
  }

  LinearCase without(std::size_t i) const {
    LinearCase rest = *this;
    const auto first = rest.features.begin() + static_cast<std::ptrdiff_t>(i * columns);
    rest.features.erase(first, first + static_cast<std::ptrdiff_t>(columns));
    rest.costs.erase(rest.costs.begin() + static_cast<std::ptrdiff_t>(i));
    rest.censored.erase(rest.censored.begin() + static_cast<std::ptrdiff_t>(i));
    return rest;
  }
};

inline LinearCase empty_case(std::size_t columns, bool work, CostError error = CostError::relative) {
  LinearCase result;
  result.columns = columns;
  result.work.assign(columns, work ? 1 : 0);
  result.error = error;
  return result;
}

/// Costs 3 + Σ (j + 1)·φ_j with φ_j in [0, 10), times exp(noise · normal).
inline LinearCase random_case(std::size_t rows, std::size_t columns, bool work, double noise, std::uint64_t seed) {
  LinearCase result = empty_case(columns, work);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> values;
    double cost = 3.0;
    for (std::size_t j = 0; j < columns; ++j) {
      values.push_back(10.0 * uniform(seed, Draw::restart, i, static_cast<std::uint32_t>(j)));
      cost += static_cast<double>(j + 1) * values.back();
    }
    result.add(values, cost * std::exp(noise * normal(seed, Draw::fantasy, i)));
  }
  return result;
}

inline double sum_at(const LinearFit& fit, std::span<const double> features) {
  double sum = fit.intercept;
  for (std::size_t j = 0; j < features.size(); ++j) sum += fit.coefficients[j] * features[j];
  return sum;
}

/// Written apart from the product's formula: the sum above the knee, a slow fall below.
inline double predicted_cost(double sum, double knee) {
  return sum > knee ? sum : knee / (1 + std::log(2 - sum / knee));
}
inline double predicted_cost(const LinearFit& fit, std::span<const double> features) {
  return predicted_cost(sum_at(fit, features), fit.knee);
}

/// Largest |log ratio| of two fits' predictions over the rows of a case.
inline double largest_log_ratio(const LinearFit& a, const LinearFit& b, const LinearCase& points) {
  double largest = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    largest =
        std::max(largest, std::abs(std::log(predicted_cost(a, points.row(i)) / predicted_cost(b, points.row(i)))));
  }
  return largest;
}

/// The objective of the fit by plain loops, at its own scale.
inline double huber_objective(const LinearCase& data, const LinearFit& fit) {
  const double cut = data.threshold * fit.scale;
  double total = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double sum = sum_at(fit, data.row(i));
    double residual = data.costs[i] - sum;
    if (data.error == CostError::relative) residual = std::log(data.costs[i] / predicted_cost(sum, fit.knee));
    if (data.censored[i] && residual < 0) continue;
    const double size = std::abs(residual);
    total += size < cut ? size * size / 2 : cut * size - cut * cut / 2;
  }
  return total;
}

/// Finite and in range, whatever the data.
inline void expect_sane(const LinearCase& data, const LinearFit& fit) {
  ASSERT_EQ(fit.coefficients.size(), data.columns);
  ASSERT_EQ(fit.left_out.size(), data.rows());
  ASSERT_EQ(fit.covariance.size(), (data.columns + 1) * (data.columns + 1));
  bool all_work = true;
  for (std::size_t j = 0; j < data.columns; ++j) {
    EXPECT_TRUE(std::isfinite(fit.coefficients[j])) << j;
    EXPECT_TRUE(!data.work[j] || fit.coefficients[j] >= 0) << j << ": " << fit.coefficients[j];
    all_work = all_work && data.work[j];
  }
  EXPECT_TRUE(std::isfinite(fit.intercept));
  EXPECT_TRUE(!all_work || fit.intercept >= 0) << fit.intercept;
  EXPECT_TRUE(std::isfinite(fit.knee) && fit.knee > 0) << fit.knee;
  EXPECT_TRUE(std::isfinite(fit.scale) && fit.scale > 0) << fit.scale;
  EXPECT_TRUE(std::isfinite(fit.spread) && fit.spread >= fit.scale) << fit.spread;
  for (std::size_t i = 0; i < data.rows(); ++i) EXPECT_EQ(std::isnan(fit.left_out[i]), data.censored[i] != 0) << i;
  for (const double entry : fit.covariance) EXPECT_TRUE(std::isfinite(entry)) << entry;
  for (std::size_t j = 0; j <= data.columns; ++j) EXPECT_GE(fit.covariance[j * (data.columns + 2)], 0) << j;
}

inline LinearFit sane_fit(const LinearCase& data) {
  LinearFit fit = data.fit();
  expect_sane(data, fit);
  return fit;
}

}  // namespace carbo::internal
