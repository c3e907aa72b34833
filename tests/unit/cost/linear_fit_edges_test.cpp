#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <carbo/error.hpp>

#include "formulas/linear_cost.hpp"
#include "linear_fit_cases.hpp"
#include "support/expect_error.hpp"
#include "support/not_finite.hpp"

namespace carbo::internal {
namespace {

using carbo::test::infinity;

double variance_of_sum(const LinearFit& fit, std::vector<double> features) {
  features.push_back(1.0);
  double variance = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      variance += features[i] * fit.covariance[i * features.size() + j] * features[j];
    }
  }
  return fit.spread * fit.spread * variance;
}

TEST(LinearFitEdges, WithoutFeaturesIsARobustConstant) {
  for (const CostError error : cost_errors) {
    LinearCase data = empty_case(0, true, error);
    for (const double cost : {9.0, 10.0, 11.0, 10.0, 9.5, 10.5, 1e4}) data.add({}, cost);
    const LinearFit fit = sane_fit(data);
    // The outlier pulls by 1.345 scales, a seventh of which is at most 0.2 here.
    EXPECT_NEAR(fit.intercept, 10.0, 0.4);
  }
}

TEST(LinearFitEdges, OneObservationIsMet) {
  for (const CostError error : cost_errors) {
    for (const std::size_t columns : {0, 1, 3}) {
      LinearCase data = empty_case(columns, true, error);
      data.add(std::vector<double>(columns, 2.0), 5.0);
      const LinearFit fit = sane_fit(data);
      EXPECT_NEAR(predicted_cost(fit, data.row(0)), 5.0, 1e-8);
      EXPECT_EQ(fit.left_out[0], infinity);
      EXPECT_DOUBLE_EQ(fit.spread, error == CostError::relative ? 1.0 : 5.0);
      // Shared equally between features of equal size.
      for (const double coefficient : fit.coefficients) {
        EXPECT_NEAR(2.0 * coefficient, 5.0 / static_cast<double>(columns + 1), 1e-4);
      }
    }
  }
}

TEST(LinearFitEdges, FewerObservationsThanFeaturesAreMet) {
  for (const CostError error : cost_errors) {
    LinearCase data = random_case(4, 8, false, 0.1, 5);
    data.error = error;
    const LinearFit fit = sane_fit(data);
    for (std::size_t i = 0; i < data.rows(); ++i) {
      EXPECT_NEAR(predicted_cost(fit, data.row(i)) / data.costs[i], 1.0, 1e-6) << i;
      EXPECT_EQ(fit.left_out[i], infinity);
    }
    // Nine coefficients, each of which alone may move the logarithm at the data by about 1 (over costs that differ by
    // less than a factor of 4).
    for (std::size_t point = 0; point < 20; ++point) {
      std::vector<double> features;
      for (std::uint32_t j = 0; j < 8; ++j) features.push_back(10 * uniform(6, Draw::restart, point, j));
      const double slope = kernels::log_linear_cost(sum_at(fit, features), fit.knee).slope;
      EXPECT_LE(slope * slope * variance_of_sum(fit, features), 9.0 * 16.0) << point;
    }
  }
}

TEST(LinearFitEdges, EqualFeaturesGetEqualCoefficients) {
  for (const bool work : {true, false}) {
    const LinearCase single = random_case(30, 1, work, 0.1, 8);
    LinearCase doubled = empty_case(2, work);
    for (std::size_t i = 0; i < 30; ++i) doubled.add({single.row(i)[0], single.row(i)[0]}, single.costs[i]);
    const LinearFit fit = sane_fit(doubled);
    // Shares are set by a ridge of 1e-10 against rounding; their sum by the data.
    EXPECT_NEAR(fit.coefficients[0], fit.coefficients[1], 1e-4);
    EXPECT_NEAR(fit.coefficients[0] + fit.coefficients[1], single.fit().coefficients[0], 1e-6);
    EXPECT_EQ(doubled.fit().coefficients, fit.coefficients);
  }
}

TEST(LinearFitEdges, NearlyCollinearFeaturesPredictAsOne) {
  for (const double difference : {1e-4, 1e-8, 1e-12}) {
    const LinearCase single = random_case(30, 1, true, 0.05, 8);
    LinearCase data = empty_case(2, false);
    for (std::size_t i = 0; i < 30; ++i) {
      const double x = single.row(i)[0];
      data.add({x, x * (1 + difference * normal(4, Draw::fantasy, i))}, single.costs[i]);
    }
    const LinearFit fit = sane_fit(data);
    // One more coefficient fits one more direction of the noise of 0.05.
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_NEAR(std::log(predicted_cost(fit, data.row(i)) / data.costs[i]), 0, 0.2) << i << ", " << difference;
    }
  }
}

TEST(LinearFitEdges, ConstantAndAbsentFeaturesDoNoHarm) {
  for (const CostError error : cost_errors) {
    for (const bool work : {true, false}) {
      LinearCase plain = random_case(30, 1, work, 0.1, 2);
      plain.error = error;
      LinearCase data = empty_case(3, work, error);
      for (std::size_t i = 0; i < 30; ++i) data.add({plain.row(i)[0], 7.0, 0.0}, plain.costs[i]);
      const LinearFit fit = sane_fit(data);
      EXPECT_EQ(fit.coefficients[2], 0);
      // Equal up to the degree of freedom that the constant feature takes: the scale grows by √(28 / 27).
      const LinearFit expected = plain.fit();
      for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_NEAR(std::log(sum_at(fit, data.row(i)) / sum_at(expected, plain.row(i))), 0, 5e-3) << i;
      }
    }
  }
}

TEST(LinearFitEdges, EqualCostsGiveThatCost) {
  for (const CostError error : cost_errors) {
    LinearCase data = random_case(12, 2, false, 0.0, 1);
    data.error = error;
    std::fill(data.costs.begin(), data.costs.end(), 42.0);
    const LinearFit fit = sane_fit(data);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(predicted_cost(fit, data.row(i)), 42.0, 1e-6);
    EXPECT_DOUBLE_EQ(fit.scale, error == CostError::relative ? 1e-6 : 42e-6);
  }
}

TEST(LinearFitEdges, UnitsDoNotMatter) {
  for (const CostError error : cost_errors) {
    for (const bool work : {true, false}) {
      LinearCase data = random_case(25, 2, work, 0.1, 12);
      data.error = error;
      data.costs[5] *= 30;
      const LinearFit fit = sane_fit(data);
      for (const double unit : {1e-12, 1e12}) {
        LinearCase other = data;
        for (double& cost : other.costs) cost *= unit;
        for (std::size_t i = 0; i < 25; ++i) other.features[2 * i + 1] /= unit;
        const LinearFit scaled = sane_fit(other);
        for (std::size_t i = 0; i < 25; ++i) {
          EXPECT_NEAR(predicted_cost(scaled, other.row(i)) / (unit * predicted_cost(fit, data.row(i))), 1.0, 1e-8);
        }
        EXPECT_NEAR(scaled.spread / (error == CostError::relative ? 1.0 : unit) / fit.spread, 1.0, 1e-8);
        EXPECT_NEAR(scaled.coefficients[1] / (fit.coefficients[1] * unit * unit), 1.0, 1e-7);
      }
    }
  }
}

TEST(LinearFitEdges, CensoredCostsCountOnlyFromBelow) {
  for (const CostError error : cost_errors) {
    LinearCase data = random_case(20, 1, true, 0.05, 4);
    data.error = error;
    const LinearFit clean = data.fit();
    LinearCase below = data;
    below.add({5.0}, 0.5, true);
    // A bound that the prediction exceeds says nothing, except through the smallest cost that the knee is made of.
    EXPECT_LE(largest_log_ratio(clean, sane_fit(below), data), 1e-9);
    LinearCase above = data;
    for (int repeat = 0; repeat < 5; ++repeat) above.add({9.0}, 40.0, true);
    EXPECT_GT(sum_at(sane_fit(above), std::vector<double>{9.0}), sum_at(clean, std::vector<double>{9.0}));
  }
}

TEST(LinearFitEdges, AllCensoredIsReachedFromBelow) {
  for (const CostError error : cost_errors) {
    for (const bool work : {true, false}) {
      LinearCase data = random_case(10, 2, work, 0.3, 4);
      data.error = error;
      std::fill(data.censored.begin(), data.censored.end(), std::uint8_t{1});
      const LinearFit fit = sane_fit(data);
      for (std::size_t i = 0; i < 10; ++i) EXPECT_GE(predicted_cost(fit, data.row(i)), 0.99 * data.costs[i]) << i;
      std::vector<double> sorted = data.costs;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_DOUBLE_EQ(fit.spread, error == CostError::relative ? 1.0 : sorted[5]);
    }
  }
}

TEST(LinearFitEdges, CostsArePositiveHoweverFar) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const bool work = seed % 2 == 0;
    LinearCase data = random_case(3 + seed, 1 + seed % 4, work, 0.5, seed);
    data.error = seed % 3 == 0 ? CostError::absolute : CostError::relative;
    for (std::size_t i = 0; i < data.rows(); ++i) data.costs[i] /= 1 + 3 * data.row(i)[0];
    const LinearFit fit = sane_fit(data);
    for (std::size_t point = 0; point < 50; ++point) {
      std::vector<double> features;
      const double far = std::pow(10.0, 12 * uniform(seed, Draw::random_pick, point));
      for (std::uint32_t j = 0; j < data.columns; ++j) {
        const double value = far * normal(seed, Draw::hyperparameter_sample, point, j);
        features.push_back(work ? std::abs(value) : value);
      }
      const kernels::LogLinearCost cost = kernels::log_linear_cost(sum_at(fit, features), fit.knee);
      EXPECT_TRUE(std::isfinite(cost.value)) << "seed " << seed << ", point " << point;
      EXPECT_TRUE(std::isfinite(cost.slope) && cost.slope > 0) << "seed " << seed << ", point " << point;
      EXPECT_GT(std::exp(cost.value), 0);
    }
  }
}

TEST(LinearFitEdges, RefusesWhatItCannotFit) {
  const LinearCase good = random_case(6, 2, true, 0.1, 1);
  for (const double bad : {std::nan(""), infinity, 0.0, -1.0}) {
    LinearCase data = good;
    data.costs[4] = bad;
    expect_error<NumericalError>([&] { data.fit(); }, {"cost 4", "above 0"});
  }
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    LinearCase data = good;
    data.features[7] = bad;
    expect_error<NumericalError>([&] { data.fit(); }, {"observation 3", "finite"});
  }
  LinearCase tiny = good;
  for (std::size_t i = 0; i < 6; ++i) tiny.features[2 * i] *= 1e-310;
  expect_error<NumericalError>([&] { tiny.fit(); }, {"overflow"});
  LinearCase apart = good;
  apart.costs[0] = 1e-300;
  apart.costs[1] = 1e300;
  expect_error<NumericalError>([&] { apart.fit(); }, {"overflow"});
  LinearCase short_marks = good;
  short_marks.work.pop_back();
  EXPECT_THROW(short_marks.fit(), std::invalid_argument);
  EXPECT_THROW(empty_case(2, true).fit(), std::invalid_argument);
}

}  // namespace
}  // namespace carbo::internal
