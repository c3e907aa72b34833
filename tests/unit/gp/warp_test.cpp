#include "gp/warp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gp/normal.hpp"
#include "gp/power_warp.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

constexpr Transform warps[] = {Transform::shifted_log, Transform::power, Transform::half_rank};

std::vector<double> normal_sample(std::size_t count, std::uint64_t seed = 1) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(normal_quantile(uniform(seed, Draw::uniform_configuration, i, 0)));
  return values;
}

/// Yeo and Johnson's transform by its definition.
double by_definition(double w, double power) {
  if (w >= 0) return power == 0 ? std::log(1 + w) : (std::pow(1 + w, power) - 1) / power;
  return power == 2 ? -std::log(1 - w) : -(std::pow(1 - w, 2 - power) - 1) / (2 - power);
}

std::vector<std::vector<double>> samples() {
  std::vector<double> gauss = normal_sample(41), wide, tied, outlying = gauss;
  for (const double z : gauss) wide.push_back(std::exp(3 * z));
  for (const double z : gauss) tied.push_back(std::round(2 * z));
  outlying[7] = 1e12;
  return {gauss, wide, tied, outlying, {3.0, -1.0, 7.0}, {2.0, 1.0, 2.0, 2.0}, {-5e8, -5e8 + 1, -5e8 + 3}};
}

TEST(Warp, NeverFallsAndLeadsBackToEveryValue) {
  for (const auto& values : samples()) {
    for (const Transform kind : warps) {
      const auto warp = make_warp(kind, values);
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const double span = sorted.back() - sorted.front();
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        EXPECT_TRUE(std::isfinite(warp->forward(sorted[i])));
        if (i > 0) {
          EXPECT_GE(warp->forward(sorted[i]), warp->forward(sorted[i - 1]));
        }
        if (sorted[i] <= lower_median(values)) {
          EXPECT_NEAR(warp->backward(warp->forward(sorted[i])), sorted[i], 1e-9 * (1 + std::abs(sorted[i])));
        }
      }
      const double beyond = sorted.front() - 0.01 * std::min(span, 1.0);
      EXPECT_LT(warp->forward(beyond), warp->forward(sorted.front()));
      EXPECT_TRUE(std::isfinite(warp->backward(1e6)) && std::isfinite(warp->backward(-1e6)));
    }
  }
}

TEST(Warp, SlopesAreThoseOfFiniteDifferences) {
  for (const auto& values : samples()) {
    for (const Transform kind : warps) {
      const auto warp = make_warp(kind, values);
      const double median = lower_median(values);
      for (const double value : values) {
        // Between values, and away from the median: a warp may have a corner there.
        const double at = value - 1e-3 * (median - value);
        if (!(value < median)) continue;
        const double step = 1e-5 * (median - value);
        if (!(at - step < at && at < at + step) || step < 1e-7 * std::abs(at)) continue;
        const double slope = (warp->forward(at + step) - warp->forward(at - step)) / (2 * step);
        EXPECT_NEAR(warp->log_slope(at), std::log(slope), 1e-4) << int(kind) << " at " << at;
      }
    }
  }
}

TEST(Warp, TheLogarithmKeepsAFloorOfZeroWhereItCan) {
  const std::vector<double> above{4.0, 0.5, 9.0}, across{-2.0, 6.0, 14.0};
  for (const double value : above)
    EXPECT_EQ(make_warp(Transform::shifted_log, above)->forward(value), std::log(value));
  // An eighth of the way from the best value to the median lies between the best value and the floor.
  for (const double value : across)
    EXPECT_DOUBLE_EQ(make_warp(Transform::shifted_log, across)->forward(value), std::log(value + 3.0));
}

TEST(Warp, ThePowerIsTheMostLikelyOne) {
  for (const double direction : {1.0, -1.0}) {
    std::vector<double> values;
    for (const double z : normal_sample(60)) values.push_back(direction * std::exp(1.3 * z));
    const PowerWarp warp(values);
    const double centre = lower_median(values);
    std::vector<double> away;
    for (const double value : values)
      if (value != centre) away.push_back(std::abs(value - centre));
    const double unit = lower_median(away);
    double best = -INFINITY, most_likely = 0;
    for (int step = -64; step <= 128; ++step) {
      const double power = step / 32.0;
      std::vector<double> warped;
      double log_likelihood = -0.5 * std::pow((power - 1) / 0.5, 2);
      for (const double value : values) {
        const double w = (value - centre) / unit;
        warped.push_back(by_definition(w, power));
        log_likelihood += (power - 1) * (w >= 0 ? std::log(1 + w) : -std::log(1 - w));
      }
      const double mean = std::accumulate(warped.begin(), warped.end(), 0.0) / 60;
      double variance = 0;
      for (const double one : warped) variance += (one - mean) * (one - mean) / 60;
      log_likelihood -= 30 * std::log(variance);
      if (log_likelihood > best) {
        best = log_likelihood;
        most_likely = power;
      }
    }
    EXPECT_EQ(warp.power(), most_likely);
    EXPECT_TRUE(direction > 0 ? warp.power() < 0.5 : warp.power() > 1.5) << warp.power();
    for (const double value : values)
      EXPECT_NEAR(warp.forward(value), by_definition((value - centre) / unit, most_likely),
                  1e-9 * (1 + std::abs(warp.forward(value))));
  }
  EXPECT_NEAR(PowerWarp(normal_sample(400)).power(), 1.0, 0.2);
}

TEST(Warp, HalfRanksKeepTheBetterHalfAndForgetHowBadTheOthersAre) {
  const std::vector<double> values{-3.0, -1.0, 0.0, 5.0, 1e12}, milder{-3.0, -1.0, 0.0, 1.0, 2.0};
  const auto warp = make_warp(Transform::half_rank, values), other = make_warp(Transform::half_rank, milder);
  const double unit = std::sqrt(10.0 / 3.0);
  for (const double better : {-3.0, -1.0, 0.0, -7.5}) EXPECT_DOUBLE_EQ(warp->forward(better), better / unit);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(warp->forward(values[i]), other->forward(milder[i]));
  EXPECT_NEAR(warp->forward(5.0), 0.5244005127080407, 1e-12);   // Φ⁻¹(0.7)
  EXPECT_NEAR(warp->forward(1e12), 1.2815515655446004, 1e-12);  // Φ⁻¹(0.9)
  EXPECT_EQ(warp->backward(7.0), 1e12);
}

TEST(Warp, ExtremesStayNumbers) {
  const double largest = std::numeric_limits<double>::max(), smallest = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> sets{
      {0, smallest, 1}, {largest, -largest, 0}, {largest, -largest}, {1e-310, 2e-310, 3e-310}, {5.0},
      {5.0, 5.0, 5.0},  {-1e12, 1, 2, 3},       {1, 2, 3, 1e300}};
  for (const auto& values : sets) {
    for (const Transform kind : warps) {
      const auto warp = make_warp(kind, values);
      for (const double value : values) {
        EXPECT_TRUE(std::isfinite(warp->forward(value))) << int(kind) << ' ' << value;
        EXPECT_TRUE(std::isfinite(warp->backward(warp->forward(value)))) << int(kind) << ' ' << value;
      }
      for (const double at : {-1e300, -3.0, 0.0, 3.0, 1e300}) EXPECT_TRUE(std::isfinite(warp->backward(at)));
    }
  }
}

TEST(Normal, LogProbabilitiesReachFarOut) {
  EXPECT_DOUBLE_EQ(log_normal_probability(0.0), std::log(0.5));
  // By series, from tables of the error function.
  EXPECT_NEAR(log_normal_probability(-10.0), -53.23128515051247, 1e-10);
  EXPECT_NEAR(log_normal_probability(-30.0), -454.3212439955, 1e-6);
  EXPECT_NEAR(log_normal_probability(-24.999999), log_normal_probability(-25.000001), 1e-4);
  EXPECT_TRUE(std::isfinite(log_normal_probability(-1e150)));
  EXPECT_NEAR(log_normal_probability(40.0), 0.0, 1e-300);
}

}  // namespace
}  // namespace carbo::internal
