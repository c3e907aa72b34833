#include "acquisition/mes_cool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/mes_oracle.hpp"

namespace carbo::kernels {
namespace {

using oracle::Real;
constexpr double endless = std::numeric_limits<double>::infinity();

AcquisitionSpec spec_of(double alpha, std::initializer_list<double> cycle) {
  AcquisitionSpec spec{Acquisition::mes_cool, alpha};
  for (int k = 0; k < extreme_samples; ++k)
    spec.extremes[k] = cycle.begin()[static_cast<std::size_t>(k) % cycle.size()];
  return spec;
}

double term(const AcquisitionSpec& spec, double incumbent, double mean, double sd) {
  return MesCool::term(MesCool::prepare(spec, sd, {}), incumbent, mean);
}

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
    const AcquisitionSpec spec = spec_of(0.5, {uniform(random) - 1, uniform(random) - 1, uniform(random)});
    const double mean = 3 * uniform(random), sd = std::exp(2 * uniform(random)), incumbent = uniform(random) - 0.5;
    Real sum = 0;
    for (const double sampled : spec.extremes)
      sum += oracle::entropy_gain((static_cast<Real>(mean) - std::min(sampled, incumbent)) / sd) / extreme_samples;
    const double expected = static_cast<double>(std::log(sum));
    EXPECT_NEAR(term(spec, incumbent, mean, sd), expected, 1e-12 * (1 + std::abs(expected)));
  }
}

TEST(MesCool, PromisesMoreWhereTheMeanIsLowerWhateverTheDeviation) {
  const AcquisitionSpec spec = spec_of(1, {-1.0, -1.3, -2.0});
  for (const double sd : {1e-300, 1e-12, 1e-3, 1.0, 1e6}) {
    double before = endless;
    for (double mean = -3; mean < 3; mean += 0.01) {
      const double now = term(spec, -0.9, mean, sd);
      EXPECT_FALSE(std::isnan(now));
      EXPECT_LE(now, before) << mean << " with " << sd;
      before = now;
    }
  }
}

TEST(MesCool, RisesWithTheDeviationAboveTheMinimumAndFallsBelow) {
  const AcquisitionSpec spec = spec_of(1, {0.0});
  for (double sd = 1e-3; sd < 100; sd *= 1.3) {
    EXPECT_GT(term(spec, 1, 2.0, 1.3 * sd), term(spec, 1, 2.0, sd));
    EXPECT_LT(term(spec, 1, -2.0, 1.3 * sd), term(spec, 1, -2.0, sd));
  }
  EXPECT_FALSE(MesCool::has_ceilings);
}

TEST(MesCool, CoolsAndWeighsCostsAsEiCoolDoes) {
  RunState run;
  run.budget = 100;
  run.used_at_design_end = 20;
  run.used = 60;
  EXPECT_EQ(MesCool::parameter(run), EiCool::parameter(run));
  EXPECT_EQ(MesCool::parameter(run), 0.5);
  for (const CostMoment moment : {CostMoment::median, CostMoment::mean, CostMoment::exact}) {
    AcquisitionSpec spec = spec_of(0.7, {0.0});
    spec.moment = moment;
    EXPECT_EQ(MesCool::cost_term(spec, {true, 1.2, 0.4}), EiCool::cost_term(spec, {true, 1.2, 0.4}));
  }
}

}  // namespace
}  // namespace carbo::kernels
