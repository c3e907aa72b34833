#include "acquisition/extremes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/mes_oracle.hpp"

namespace carbo::internal {
namespace {

SampledPosterior some_posterior(std::size_t points, std::uint64_t seed, double spread = 1.0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  SampledPosterior posterior;
  for (std::size_t i = 0; i < points; ++i) {
    posterior.means.push_back(normal(random));
    posterior.deviations.push_back(spread * std::exp(0.7 * normal(random)));
  }
  return posterior;
}

/// Shares of draws of the minimum, by plain sampling, below the quartiles of the fit.
void expect_quartiles(std::span<const SampledPosterior> members, const GumbelMinimum& fitted) {
  constexpr int draws = 20000;
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  std::vector<double> lowest;
  for (int draw = 0; draw < draws; ++draw) {
    const SampledPosterior& member = members[static_cast<std::size_t>(draw) % members.size()];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < member.means.size(); ++i)
      least = std::min(least, member.means[i] + member.deviations[i] * normal(random));
    lowest.push_back(least);
  }
  // The fit has the distance of the quartiles and the median of the minimum.
  std::sort(lowest.begin(), lowest.end());
  const auto quantile = [&](double p) { return lowest[static_cast<std::size_t>(p * draws)]; };
  const double distance = quantile(0.75) - quantile(0.25);
  EXPECT_NEAR(fitted.quantile(0.5), quantile(0.5), 0.03 * distance);
  EXPECT_NEAR(fitted.quantile(0.75) - fitted.quantile(0.25), distance, 0.05 * distance);
}

TEST(Extremes, TheFitHasTheQuartilesOfDrawsOfTheMinimum) {
  for (const std::size_t points : {1, 2, 30, 400}) {
    const SampledPosterior posterior = some_posterior(points, points);
    expect_quartiles({&posterior, 1}, fit_minimum({&posterior, 1}, 0));
  }
}

TEST(Extremes, OfSeveralGpsItIsTheMinimumUnderOneOfThem) {
  const std::vector<SampledPosterior> members = {some_posterior(50, 1), some_posterior(50, 2, 0.1),
                                                 some_posterior(50, 3, 3.0)};
  expect_quartiles(members, fit_minimum(members, 0));
}

TEST(Extremes, TheFitIsThatOfPlainBisection) {
  for (const std::size_t points : {1, 7, 64, 1000}) {
    const SampledPosterior posterior = some_posterior(points, 90 + points, 0.3);
    std::vector<oracle::Posterior> plain;
    for (std::size_t i = 0; i < points; ++i)
      plain.push_back({posterior.means[i], posterior.deviations[i] * posterior.deviations[i]});
    const GumbelMinimum fitted = fit_minimum({&posterior, 1}, 0);
    const std::vector<oracle::Real> expected = oracle::minimum_samples(plain, {0.01L, 0.3L, 0.5L, 0.99L});
    std::size_t i = 0;
    for (const double place : {0.01, 0.3, 0.5, 0.99})
      EXPECT_NEAR(fitted.quantile(place), static_cast<double>(expected[i++]), 1e-8) << points << " at " << place;
  }
}

TEST(Extremes, WhatIsKnownHasNoSpreadAndWhatIsNotANumberNoSay) {
  SampledPosterior posterior{{3.0, 1.0, 2.0}, {1e-160, 1e-160, 1e-160}};
  GumbelMinimum fitted = fit_minimum({&posterior, 1}, 0);
  EXPECT_DOUBLE_EQ(fitted.quantile(0.5), 1.0);
  EXPECT_NEAR(fitted.quantile(0.99), 1.0, 1e-12);
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  posterior = {{nothing, 1.0, std::numeric_limits<double>::infinity()}, {0.5, 0.5, 0.5}};
  fitted = fit_minimum({&posterior, 1}, 0);
  EXPECT_NEAR(fitted.quantile(0.5), 1.0, 1e-9);
  posterior = {{nothing}, {0.5}};
  fitted = fit_minimum({&posterior, 1}, -4);
  EXPECT_EQ(fitted.quantile(0.3), -4);
  EXPECT_EQ(fit_minimum({}, -5).quantile(0.9), -5);
}

TEST(Extremes, RowsAreAllOfFewAndOneOfEveryPartOfMany) {
  for (const std::uint64_t rows : {0, 1, 9999, 10000}) {
    const std::vector<std::size_t> chosen = extreme_rows(rows, 7);
    ASSERT_EQ(chosen.size(), rows);
    for (std::size_t i = 0; i < chosen.size(); ++i) EXPECT_EQ(chosen[i], i);
  }
  for (const std::uint64_t rows : {std::uint64_t{10001}, std::uint64_t{65536}, std::uint64_t{1} << 32}) {
    const std::vector<std::size_t> chosen = extreme_rows(rows, 7);
    ASSERT_EQ(chosen.size(), most_extreme_rows);
    EXPECT_EQ(chosen, extreme_rows(rows, 7));
    EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
    EXPECT_LT(chosen.back(), rows);
    // Not every second of a Sobol sequence: about as many odd rows as even ones.
    const auto odd = std::count_if(chosen.begin(), chosen.end(), [](std::size_t row) { return row % 2 == 1; });
    EXPECT_NEAR(static_cast<double>(odd), 5000, 200);
  }
  EXPECT_NE(extreme_rows(65536, 7), extreme_rows(65536, 8));
}

}  // namespace
}  // namespace carbo::internal
