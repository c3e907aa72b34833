#include "design/design_gain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "carbo/error.hpp"
#include "support/backend_fixture.hpp"

using namespace fixture;
using oracle::Points;

namespace {

std::vector<std::span<const double>> views(const Points& points) { return {points.begin(), points.end()}; }

/// By a GP that was told all points, whatever their values: variances do not depend on these.
double plain_gain(const oracle::Gp& gp, const Points& observed, const Points& running,
                  const std::vector<double>& point) {
  Points all = observed;
  all.insert(all.end(), running.begin(), running.end());
  const oracle::Regression regression(gp, all, std::vector<double>(all.size()));
  const auto left = static_cast<double>(regression.at(point).variance);
  return left / gp.signal * left / (left + gp.noise);
}

}  // namespace

TEST(DesignGain, IsTheVarianceThatAnEvaluationTakesAway) {
  oracle::Uniform random(7);
  for (const std::size_t n : {1U, 2U, 5U, 31U, 64U, 65U}) {
    for (const double noise : {1e-4, 0.03, 5.0}) {
      const oracle::Gp gp = some_gp(3, noise);
      const Points x = random.points(n, 3);
      const auto backend = cpu();
      const auto gp_factor = factor(*backend, gp, x, random.values(n, -2, 2));
      for (const std::size_t running : {0U, 1U, 4U, 70U}) {
        const Points beside = random.points(running, 3);
        const std::vector<double> point = random.points(1, 3)[0];
        EXPECT_NEAR(design_gain(*gp_factor, views(beside), point), plain_gain(gp, x, beside, point),
                    posterior_tolerance(gp, n + running))
            << n << " observed, " << running << " running, noise " << noise;
      }
    }
  }
}

TEST(DesignGain, FallsFromOneToZeroWithWhatIsKnown) {
  const oracle::Gp gp = some_gp(2, 1e-6);
  const Points x = {{0.1, 0.1}, {0.3, 0.2}};
  const auto backend = cpu();
  const auto gp_factor = factor(*backend, gp, x, {0.4, -1.0});
  EXPECT_GT(design_gain(*gp_factor, {}, std::vector{40.0, -70.0}), 1 - 1e-5) << "far away";
  EXPECT_LE(design_gain(*gp_factor, {}, std::vector{1e150, 0.0}), 1.0);
  EXPECT_LT(design_gain(*gp_factor, {}, x[1]), 1e-5) << "observed";
  EXPECT_GE(design_gain(*gp_factor, {}, x[1]), 0.0);
  const Points there = {{0.9, 0.9}};
  const double before = design_gain(*gp_factor, {}, there[0]);
  EXPECT_LT(design_gain(*gp_factor, views(there), there[0]), 1e-5) << "running";
  EXPECT_EQ(design_gain(*gp_factor, {}, there[0]), before) << "what runs is forgotten again";
  const Points twice = {there[0], there[0], x[0], x[0]};
  EXPECT_LT(design_gain(*gp_factor, views(twice), there[0]), 1e-5) << "copies are harmless";
}

TEST(DesignGain, NoiseDrownsIt) {
  oracle::Gp gp = some_gp(2, 1.7e4);
  const auto backend = cpu();
  const auto gp_factor = factor(*backend, gp, {{0.5, 0.5}}, {1.0});
  EXPECT_NEAR(design_gain(*gp_factor, {}, std::vector{30.0, 30.0}), 1e-4, 1e-7);
}

TEST(DesignGain, LeavesTheFactorAsItWas) {
  oracle::Uniform random(3);
  const oracle::Gp gp = some_gp(2);
  const auto backend = cpu();
  const auto gp_factor = factor(*backend, gp, random.points(9, 2), random.values(9, -1, 1));
  const Points beside = random.points(3, 2);
  const auto predicted = [&] {
    std::vector<double> at = {0.2, 0.7}, mean(1), variance(1);
    gp_factor->predict({at.data(), 1, 2}, mean, variance);
    return std::pair(mean[0], variance[0]);
  };
  const auto before = predicted();
  design_gain(*gp_factor, views(beside), beside[0]);
  EXPECT_EQ(gp_factor->fantasised(), 0U);
  EXPECT_EQ(predicted(), before);
  const std::vector<double> nowhere = {0.5, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(design_gain(*gp_factor, views(beside), nowhere), carbo::Error);
  EXPECT_EQ(gp_factor->fantasised(), 0U) << "after an error, too";
  EXPECT_EQ(predicted(), before);
}
