#include "acquisition/gittins.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "data/inverse_h_reference.hpp"
#include "support/gittins_oracle.hpp"
#include "support/sanitized.hpp"

namespace carbo::kernels {
namespace {

using oracle::Real;
constexpr double infinity = std::numeric_limits<double>::infinity();

double score(const AcquisitionSpec& spec, double mean, double sd, const LogCost& cost) {
  return Gittins::term(Gittins::prepare(spec, sd, cost), 0.0, mean);
}

TEST(InverseLogH, AgreesWithHighPrecisionOverFortyDecades) {
  for (const InverseHReference& reference : inverse_h_reference) {
    // The logarithm of the value is rounded already, which moves u by that over (log h)' = Φ/h.
    const double log_value = std::log(reference.value);
    const double slope = reference.u > 0 ? 0.5 / (reference.u + 1) : 0.5;
    const double tolerance = 4e-16 * (1 + std::abs(reference.u)) + 2.3e-16 * std::abs(log_value) / slope;
    EXPECT_NEAR(inverse_log_h(log_value), reference.u, tolerance) << reference.value;
  }
}

TEST(InverseLogH, InvertsLogHFarBeyondAndRisesEverywhere) {
  double before = -infinity;
  for (double log_value = -2000; log_value < 700; log_value += 0.137) {
    const double u = inverse_log_h(log_value);
    EXPECT_GT(u, before) << log_value;
    before = u;
    EXPECT_NEAR(log_h(u), log_value, 1e-14 * (1 + std::abs(log_value))) << u;
  }
  for (const double log_value : {-1e4, -1e8, -1e12, -1e15, -9.99e15, -1.001e16, -1e20, -1e300})
    EXPECT_NEAR(log_h(inverse_log_h(log_value)) / log_value, 1.0, 1e-14) << log_value;
  EXPECT_EQ(inverse_log_h(-infinity), -infinity);
  EXPECT_EQ(inverse_log_h(infinity), infinity);
  EXPECT_TRUE(std::isnan(inverse_log_h(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Gittins, IndexIsWhereImprovementEqualsThePrice) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::uint64_t i = 0; i < test::cases(2000); ++i) {
    const double mean = 3 * uniform(random), sd = std::exp(5 * uniform(random));
    const double log_lambda = 8 * uniform(random), log_cost = 8 * uniform(random), variance = 1 + uniform(random);
    const Real median = std::exp(static_cast<Real>(log_lambda) + log_cost);
    const Real scale = 1 + std::abs(mean) + sd + median + std::exp(static_cast<Real>(log_lambda));
    SCOPED_TRACE(testing::Message() << mean << ' ' << sd << ' ' << log_lambda << ' ' << log_cost);
    AcquisitionSpec spec{Acquisition::gittins, log_lambda};
    EXPECT_NEAR(-score(spec, mean, sd, {true, log_cost, variance}), oracle::gittins_index(mean, sd, median),
                1e-13 * scale);
    EXPECT_NEAR(-score(spec, mean, sd, {}), oracle::gittins_index(mean, sd, std::exp(static_cast<Real>(log_lambda))),
                1e-13 * scale);
    spec.moment = CostMoment::mean;
    const Real expected = median * std::exp(static_cast<Real>(variance) / 2);
    EXPECT_NEAR(-score(spec, mean, sd, {true, log_cost, variance}), oracle::gittins_index(mean, sd, expected),
                1e-13 * (scale + expected));
  }
}

/// Far above the deviation it is the mean and the price: plainly while prices are numbers, and beyond in their order.
TEST(Gittins, PricesBeyondAllNumbersHaveFiniteScoresInTheirOrder) {
  AcquisitionSpec spec{Acquisition::gittins, -2.0};
  spec.moment = CostMoment::mean;
  for (const double sd : {0.0, 1e-300, 1e-12, 1.0, 40.0}) {
    double before = infinity;
    for (const double deviation : {1.0, 7.0, 20.0, 34.0, 34.7, 36.0, 38.0, 100.0, 362.0, 1e5, 1e10}) {
      const LogCost cost{true, 12.0, deviation * deviation};
      const double found = score(spec, 0.5, sd, cost), log_price = 10 + deviation * deviation / 2;
      EXPECT_TRUE(std::isfinite(found)) << sd << ' ' << deviation;
      EXPECT_TRUE(std::isfinite(1e6 * found)) << "the sum of a million fantasies";
      EXPECT_LT(found, before) << sd << ' ' << deviation;
      before = found;
      if (log_price > 600) continue;
      EXPECT_NEAR(found / (-0.5 - std::exp(log_price)), 1.0, 1e-12) << sd << ' ' << deviation;
    }
    EXPECT_TRUE(std::isfinite(score(spec, 0.5, sd, {true, 0.0, infinity}))) << sd;
  }
  EXPECT_NEAR(Gittins::price(std::nextafter(600.0, 601.0)) / Gittins::price(600.0), 1.0, 1e-12);
}

/// Points that take r from a deviation leave √(s² − r²) and lower the mean by at most r · norm.
TEST(Gittins, ABoundIsNeverBelowTheScoreAfterAnyMove) {
  const AcquisitionSpec spec{Acquisition::gittins, -2.0};
  for (const double mean : {-2.0, 0.0, 1e3})
    for (const double sd : {1e-8, 0.3, 40.0})
      for (const double norm : {0.0, 0.5, 3.0, 12.0})
        for (const double log_cost : {-9.0, 0.0, 9.0, 300.0, 690.0, 1e5}) {
          const LogCost cost{true, log_cost, 0.0};
          const double bound = Gittins::bound(Gittins::prepare(spec, sd, cost), 0.0, mean, norm).term;
          for (int step = 0; step <= 200; ++step) {
            const double share = std::sin(std::numbers::pi / 2 * step / 200);
            const double left = sd * std::sqrt(std::max(1 - share * share, 1e-30));
            EXPECT_GE(bound, score(spec, mean - share * sd * norm, left, cost));
          }
        }
}

TEST(Gittins, LambdaIsGivenOrStartsFromWhatWasSeenAndFallsWhereNoIndexIsBelowTheIncumbent) {
  RunState run;
  run.objective_scale = 50;
  run.typical_cost = 4;
  EXPECT_DOUBLE_EQ(Gittins::parameter(run), 0.1 * 50 / 4);
  run.given.lambda = 3;
  EXPECT_EQ(Gittins::parameter(run), 3.0);
  run.searched = true;
  run.parameter = 2;
  run.incumbent = -1.5;
  run.score = 1.6;  // an index of −1.6
  EXPECT_EQ(Gittins::parameter(run), 2.0);
  run.score = 1.5;
  EXPECT_EQ(Gittins::parameter(run), 1.0);
  run.given.lambda_decay = 1;
  EXPECT_EQ(Gittins::parameter(run), 2.0);
  run.given.lambda_decay = 0.001;
  for (int i = 0; i < 200; ++i) run.parameter = Gittins::parameter(run);
  EXPECT_TRUE(std::isfinite(Gittins::standardised(run.parameter, 50))) << run.parameter;
}

TEST(Gittins, LambdaIsInUnitsOfTheObjective) {
  EXPECT_DOUBLE_EQ(Gittins::standardised(6, 3), std::log(2.0));
  EXPECT_EQ(Gittins::refuses(Gittins::standardised(1, 1e-300)), nullptr);
  EXPECT_NE(Gittins::refuses(Gittins::standardised(0, 1)), nullptr);
  EXPECT_NE(Gittins::refuses(Gittins::standardised(-1, 1)), nullptr);
}

}  // namespace
}  // namespace carbo::kernels
