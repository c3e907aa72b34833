#include "acquisition/mes_cool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "support/mes_oracle.hpp"

namespace carbo::kernels {
namespace {

using oracle::Real;
constexpr double endless = std::numeric_limits<double>::infinity();

/// Samples that go round in a cycle.
struct Sampled {
  Sampled(double alpha, std::initializer_list<double> cycle) : spec{Acquisition::mes_cool, alpha} {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = cycle.begin()[k % cycle.size()];
    spec.extremes = values.data();
  }
  Sampled(const Sampled&) = delete;
  Sampled& operator=(const Sampled&) = delete;
  double term(double incumbent, double mean, double sd) const {
    return MesCool::term(MesCool::prepare(spec, sd, {}), incumbent, mean);
  }

  std::array<double, extreme_samples> values;
  AcquisitionSpec spec;
};

TEST(EntropyGain, IsWhatCuttingOffTakesFromTheEntropy) {
  for (double gamma = -12; gamma <= 5; gamma += 0.173)
    EXPECT_NEAR(std::exp(log_entropy_gain(gamma)) / oracle::entropy_gain_by_quadrature(gamma), 1.0, 1e-9) << gamma;
}

TEST(EntropyGain, AgreesWithItsFormulaInHigherPrecision) {
  for (double gamma = -15; gamma <= 37; gamma += 0.0137) {
    const double expected = static_cast<double>(std::log(oracle::entropy_gain(gamma)));
    EXPECT_NEAR(log_entropy_gain(gamma), expected, 2e-14 * (1 + std::abs(expected))) << gamma;
  }
}

TEST(EntropyGain, HasItsLimitsFarOut) {
  const double log_sqrt_2pi = 0.9189385332046728;
  for (const double t : {1e4, 1e8, 9.9e8, 1.01e9, 1e20, 1e160, 1e299})
    EXPECT_NEAR(log_entropy_gain(-t), std::log(std::log(t) + log_sqrt_2pi - 0.5), 1 / t / t + 1e-14) << t;
  for (const double t : {40.0, 1e3, 1e8, 9.9e8, 1.01e9, 1e12, 1e150})
    EXPECT_NEAR(log_entropy_gain(t) / (std::log(0.5 * t + 1 / t - 1 / t / t / t) - log_sqrt_2pi - 0.5 * t * t), 1.0,
                1e-11)
        << t;
  EXPECT_NEAR(log_entropy_gain(0), std::log(std::log(2.0)), 1e-15);
  EXPECT_EQ(log_entropy_gain(endless), -endless);
  EXPECT_EQ(log_entropy_gain(1e200), -endless);
  EXPECT_EQ(log_entropy_gain(-endless), endless);
  EXPECT_TRUE(std::isnan(log_entropy_gain(std::numeric_limits<double>::quiet_NaN())));
}

TEST(EntropyGain, FallsEverywhereAlsoAcrossJoins) {
  double before = endless;
  for (double gamma = -60; gamma < 60; gamma += 0.00931) {
    const double now = log_entropy_gain(gamma);
    EXPECT_LT(now, before) << gamma;
    before = now;
  }
  for (const double join : {-1.0, 1.0}) {
    const double at = log_entropy_gain(join);
    EXPECT_LE(log_entropy_gain(std::nextafter(join, 2)), at);
    EXPECT_GE(log_entropy_gain(std::nextafter(join, -2)), at);
    EXPECT_NEAR(log_entropy_gain(std::nextafter(join, 2)), log_entropy_gain(std::nextafter(join, -2)), 1e-14);
  }
}

TEST(MesCool, IsTheMeanGainOverSamplesNoneAboveTheIncumbent) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 500; ++i) {
    const Sampled sampled(0.5, {uniform(random) - 1, uniform(random) - 1, uniform(random)});
    const double mean = 3 * uniform(random), sd = std::exp(2 * uniform(random)), incumbent = uniform(random) - 0.5;
    Real sum = 0;
    for (const double value : sampled.values)
      sum += oracle::entropy_gain((static_cast<Real>(mean) - std::min(value, incumbent)) / sd) / extreme_samples;
    const double expected = static_cast<double>(std::log(sum));
    EXPECT_NEAR(sampled.term(incumbent, mean, sd), expected, 1e-12 * (1 + std::abs(expected)));
  }
}

TEST(MesCool, PromisesMoreWhereTheMeanIsLowerWhateverTheDeviation) {
  const Sampled sampled(1, {-1.0, -1.3, -2.0});
  for (const double sd : {1e-300, 1e-12, 1e-3, 1.0, 1e6}) {
    double before = endless;
    for (double mean = -3; mean < 3; mean += 0.01) {
      const double now = sampled.term(-0.9, mean, sd);
      EXPECT_FALSE(std::isnan(now));
      EXPECT_LE(now, before) << mean << " with " << sd;
      before = now;
    }
  }
}

TEST(MesCool, RisesWithTheDeviationAboveTheMinimumAndFallsBelow) {
  const Sampled sampled(1, {0.0});
  for (double sd = 1e-3; sd < 100; sd *= 1.3) {
    EXPECT_GT(sampled.term(1, 2.0, 1.3 * sd), sampled.term(1, 2.0, sd));
    EXPECT_LT(sampled.term(1, -2.0, 1.3 * sd), sampled.term(1, -2.0, sd));
  }
  EXPECT_FALSE(MesCool::has_ceilings);
}

TEST(MesCool, CoolsAndWeighsCostsAsEiCoolDoes) {
  RunState run;
  run.budget = 100;
  run.used_at_design_end = 20;
  run.used = 60;
  run.given.cooling = 1;
  EXPECT_EQ(MesCool::parameter(run), EiCool::parameter(run));
  EXPECT_EQ(MesCool::parameter(run), 0.5);
  for (const CostMoment moment : {CostMoment::median, CostMoment::mean, CostMoment::exact}) {
    AcquisitionSpec spec{Acquisition::mes_cool, 0.7};
    spec.moment = moment;
    EXPECT_EQ(MesCool::cost_term(spec, {true, 1.2, 0.4}), EiCool::cost_term(spec, {true, 1.2, 0.4}));
  }
}

}  // namespace
}  // namespace carbo::kernels
