#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "acquisition/ei_cool.hpp"
#include "support/not_finite.hpp"
#include "support/sanitized.hpp"
#include "support/search_ceilings.hpp"

// The upper bounds that the search lives on, against exact scores and against brute force.
namespace {

using namespace search_cases;
namespace kernels = carbo::kernels;
using Real = long double;

using carbo::test::infinity;

/// h(u) = φ(u) + u Φ(u) by its definition. For u < 0 the two terms cancel to about 1/u² of their size, so the
/// relative error is below u² · 1e-18: 1e-14 at u = −100.
Real plain_h(Real u) {
  const Real density = std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi_v<Real>);
  return density + u * std::erfc(-u / std::numbers::sqrt2_v<Real>) / 2;
}

/// Greatest expected improvement in units of s over all moves: t = |r| / s of the deviation is explained and the mean
/// falls by t · s · norm.
Real greatest_improvement(Real u, Real norm) {
  Real greatest = std::max<Real>(u + norm, 0);  // t = 1: no spread is left
  const auto try_share = [&](Real t) {
    const Real spread = std::sqrt(1 - t * t);
    greatest = std::max(greatest, spread * plain_h((u + t * norm) / spread));
  };
  constexpr int steps = 400;
  for (int i = 0; i < steps; ++i) try_share(std::sin(std::numbers::pi_v<Real> / 2 * i / steps));
  if (u < -norm) try_share(-norm / u);  // where the argument of h is greatest
  return greatest;
}

/// Of a standard deviation of 1.
kernels::LogMean::Bound bound_at(double u, double norm) { return kernels::EiCool::bound({0.0, 1.0}, u, 0.0, norm); }

Real bound_on_improvement(double u, double norm) {
  const kernels::LogMean::Bound bound = bound_at(u, norm);
  return bound.factor * std::exp(-Real(bound.exponent)) / std::sqrt(2 * std::numbers::pi_v<Real>);
}

/// In the tail the bound leaves out the factor √(1 − t²) at t = −norm/u, and h itself is bounded within 0.17 nat.
TEST(StaleBound, IsNeverBelowTheGreatestImprovementAndNoHigherThanItMustBe) {
  for (double u = -40; u <= 8; u += 0.37)
    for (double norm = 0; norm <= 12; norm += 0.31) {
      SCOPED_TRACE(testing::Message() << "u " << u << ", norm " << norm);
      const Real exact = greatest_improvement(u, norm);
      const Real bound = bound_on_improvement(u, norm);
      EXPECT_GE(bound, exact * (1 - 1e-13L));
      if (u < -norm) {
        EXPECT_LE(bound * std::sqrt(1 - norm * norm / (u * u)), exact * std::exp(0.17L));
      }
    }
}

TEST(StaleBound, WithoutANormItIsHFromAboveAndNothingOverflows) {
  for (double u = -60; u <= 60; u += 0.0137) {
    SCOPED_TRACE(u);
    EXPECT_GE(bound_on_improvement(u, 0), plain_h(u) * (1 - 1e-14L));
    EXPECT_LE(bound_on_improvement(u, 0), plain_h(u) * std::exp(0.17L));
  }
  for (const double u : {-1e150, -1e77, 1e150}) {
    const kernels::LogMean::Bound bound = bound_at(u, 1.0);
    EXPECT_GT(bound.factor, 0.0);
    EXPECT_TRUE(std::isfinite(bound.factor) && std::isfinite(bound.exponent));
  }
}

TEST(SearchBounds, AMillionCeilingsAreNeverBelowTheExactScores) {
  std::size_t draws = 0;
  const std::uint64_t first = 50000 + 10000 * (carbo::test::part().number - 1);
  for (std::uint64_t seed = first; draws < carbo::test::own_cases(1000000); ++seed) {
    // Few rows, where all are solved at once, and more than the search solves for everyone.
    const std::size_t n = seed % 2 == 0 ? 1 + seed * 37 % 70 : 257 + seed * 53 % 100;
    const Case c = lasting_case(seed, {n, 700, 2 + seed % 14});
    SCOPED_TRACE(testing::Message() << c);
    const Tally tally = play(c);
    EXPECT_EQ(tally.below, 0u) << "by up to " << tally.worst << " nats";
    draws += tally.draws;
  }
}

/// Copies of noise-free data have a variance of rounding only, whose floor rises with every fantasised point.
TEST(SearchBounds, CeilingsHoldWhereVariancesAreMadeOfRounding) {
  for (std::uint64_t seed = 60000; seed < 60060; ++seed) {
    Case c = lasting_case(seed, {1 + seed % 7, 60, 25});
    for (GpParameters& gp : c.gps) gp.noise_variance = seed % 3 == 0 ? 1e-10 : 0.0;
    SCOPED_TRACE(testing::Message() << c);
    const Tally tally = play(c);
    EXPECT_EQ(tally.below, 0u) << "by up to " << tally.worst << " nats";
  }
}

TEST(SearchBounds, CeilingsHoldWhileTheSpreadOfTheCostIsUnknown) {
  for (const auto weight : {carbo::CostWeight::median, carbo::CostWeight::mean, carbo::CostWeight::moment}) {
    Case c = late_case({250, 900, 6});
    c.cost = Cost::modelled_late;
    c.weight = weight;
    c.alpha = 1;
    const Tally tally = play(c);
    EXPECT_EQ(tally.below, 0u) << "weight " << static_cast<int>(weight) << ", by up to " << tally.worst << " nats";
  }
}

/// With all rows solved and no point missed, a ceiling is the score but for the cheap bound on h, which is at most
/// 0.15 nat too high.
TEST(SearchBounds, CeilingsOfFinishedCandidatesAreClose) {
  const Case c = late_case({40, 1000, 1});
  Game game(c);
  const std::vector<double> scores = game.dense.scores(game.asked());
  const std::vector<double> ceilings = game.bounded.ceilings(game.asked());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_GE(ceilings[i], scores[i]) << i;
    EXPECT_LE(ceilings[i], scores[i] + 0.16) << i;
  }
}

TEST(SearchBounds, BoundsThatAreTooLowAreSeen) {
  std::size_t with_bounds_too_low = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Case c = late_case({300, 1500, 12}, seed);
    SCOPED_TRACE(testing::Message() << c);
    EXPECT_EQ(differing_picks(c), 0u);
    with_bounds_too_low += differing_picks(c, -2.0);
  }
  EXPECT_GT(with_bounds_too_low, 0u);
}

}  // namespace
