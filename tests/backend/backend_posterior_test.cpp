#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "carbo/error.hpp"
#include "support/backend_fixture.hpp"

using namespace fixture;
using oracle::Points;

namespace {

void expect_posterior(const oracle::Regression& exact, const GpFactor& factor, const Points& at, double tolerance) {
  const Rows rows(at);
  std::vector<double> mean(at.size());
  std::vector<double> variance(at.size());
  factor.predict(rows.view(), mean, variance);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const oracle::Posterior p = exact.at(at[i]);
    EXPECT_NEAR(mean[i], static_cast<double>(p.mean), tolerance) << "point " << i;
    EXPECT_NEAR(variance[i], static_cast<double>(p.variance), tolerance) << "point " << i;
  }
}

}  // namespace

TEST(BackendPosterior, MatchesDenseInverseAtEverySize) {
  const auto backend = cpu();
  for (const std::size_t n : {1, 2, 3, 7, 8, 9, 95, 96, 97, 193}) {
    oracle::Uniform random(n);
    const oracle::Gp gp = some_gp(3);
    const Points x = random.points(n, 3);
    const std::vector<double> y = random.values(n, -2, 2);
    const oracle::Regression exact(gp, x, y);
    expect_posterior(exact, *factor(*backend, gp, x, y), random.points(5, 3), posterior_tolerance(gp, n));
  }
}

TEST(BackendPosterior, SweepMatchesDenseInverseWithAndWithoutVariance) {
  const auto backend = cpu();
  oracle::Uniform random(5);
  const oracle::Gp gp = some_gp(4);
  const Points x = random.points(40, 4);
  const std::vector<double> y = random.values(40, -2, 2);
  const oracle::Regression exact(gp, x, y);
  const auto gp_factor = factor(*backend, gp, x, y);
  const double tolerance = posterior_tolerance(gp, 40);
  for (const std::size_t m : {1, 2, 255, 256, 257, 513}) {
    const Points candidates = random.points(m, 4);
    const auto set = backend->make_candidates(Rows(candidates).view());
    const auto full = backend->sweep(*gp_factor, *set, true);
    const auto mean_only = backend->sweep(*gp_factor, *set, false, {.shift = 3.0, .scale = -2.0});
    const auto scaled = backend->sweep(*gp_factor, *set, true, {.shift = 3.0, .scale = -2.0});
    EXPECT_EQ(full->size(), m);
    EXPECT_TRUE(full->has_variance());
    EXPECT_FALSE(mean_only->has_variance());
    EXPECT_THROW(mean_only->variance(0), carbo::InvalidOptions);
    for (std::size_t i = 0; i < m; i += (m > 64 ? 17 : 1)) {
      const oracle::Posterior p = exact.at(candidates[i]);
      const double mean = static_cast<double>(p.mean);
      const double variance = static_cast<double>(p.variance);
      EXPECT_NEAR(full->mean(i), mean, tolerance);
      EXPECT_NEAR(full->variance(i), variance, tolerance);
      EXPECT_NEAR(mean_only->mean(i), 3.0 - 2.0 * mean, 2 * tolerance);
      EXPECT_NEAR(scaled->mean(i), 3.0 - 2.0 * mean, 2 * tolerance);
      EXPECT_NEAR(scaled->variance(i), 4.0 * variance, 4 * tolerance);
    }
  }
}

TEST(BackendPosterior, AppendedRowsMatchDenseInverse) {
  const auto backend = cpu();
  oracle::Uniform random(11);
  const oracle::Gp gp = some_gp(2);
  Points x = random.points(3, 2);
  std::vector<double> y = random.values(3, -1, 1);
  const auto gp_factor = factor(*backend, gp, x, y);
  const Points at = random.points(4, 2);
  for (int step = 0; step < 120; ++step) {  // beyond the spare capacity, so that the factor grows
    x.push_back(random.points(1, 2).front());
    ASSERT_TRUE(gp_factor->append(x.back()));
    y.push_back(gp.mean);
    if (step % 30 == 7)
      expect_posterior(oracle::Regression(gp, x, y), *gp_factor, at, posterior_tolerance(gp, x.size()));
  }
  y = random.values(x.size(), -1, 1);
  gp_factor->set_targets(y);
  EXPECT_EQ(gp_factor->observed(), x.size());
  expect_posterior(oracle::Regression(gp, x, y), *gp_factor, at, posterior_tolerance(gp, x.size()));
}

TEST(BackendPosterior, RowsAppendedTogetherAndOneByOneAreTheSameToTheBit) {
  const auto backend = cpu();
  oracle::Uniform random(12);
  const oracle::Gp gp = some_gp(3);
  const Points x = random.points(9, 3), more = random.points(70, 3), at = random.points(31, 3);
  const std::vector<double> y = random.values(9, -1, 1);
  const auto together = factor(*backend, gp, x, y), one_by_one = factor(*backend, gp, x, y);
  const Rows rows(more), points(at);
  EXPECT_EQ(together->append_all({rows.view().data, 0, 3}), 0u);
  ASSERT_EQ(together->append_all(rows.view()), more.size());
  for (const auto& point : more) ASSERT_TRUE(one_by_one->append(point));
  const std::vector<double> targets = random.values(79, -1, 1);
  std::vector<double> means[3], variances[3];
  for (GpFactor* const each : {together.get(), one_by_one.get()}) each->set_targets(targets);
  for (auto* const all : {means, variances})
    for (std::size_t i = 0; i < 3; ++i) all[i].resize(at.size());
  together->predict(points.view(), means[0], variances[0]);
  one_by_one->predict(points.view(), means[1], variances[1]);
  for (std::size_t i = 0; i < at.size(); ++i)
    one_by_one->predict({points.view().row(i).data(), 1, 3}, {&means[2][i], 1}, {&variances[2][i], 1});
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(means[0], means[i]);
    EXPECT_EQ(variances[0], variances[i]);
  }
}

TEST(BackendPosterior, RowsAreAppendedUpToTheFirstWithoutAPivot) {
  const auto backend = cpu();
  oracle::Uniform random(14);
  const oracle::Gp gp = some_gp(2, 0.0);
  const Points x = random.points(4, 2);
  const auto gp_factor = factor(*backend, gp, x, random.values(4, -1, 1));
  const Points more = {random.points(1, 2).front(), random.points(1, 2).front(), x[1], random.points(1, 2).front()};
  const Rows rows(more);
  EXPECT_EQ(gp_factor->append_all(rows.view()), 2u);
  EXPECT_EQ(gp_factor->observed(), 6u);
  EXPECT_EQ(gp_factor->append_all({rows.view().row(3).data(), 1, 2}), 1u);
}

TEST(BackendPosterior, LeaveOneOutMatchesActualRefits) {
  const auto backend = cpu();
  oracle::Uniform random(13);
  for (const std::size_t n : {1, 2, 30, 97}) {
    const oracle::Gp gp = some_gp(2, 0.01);
    const Points x = random.points(n, 2);
    const std::vector<double> y = random.values(n, -1, 1);
    const LeaveOneOut left_out = factor(*backend, gp, x, y)->leave_one_out();
    for (std::size_t i = 0; i < n; i += (n > 50 ? 24 : 1)) {
      Points others = x;
      std::vector<double> targets = y;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(i));
      const oracle::Posterior p = oracle::Regression(gp, others, targets).at(x[i]);
      const double tolerance = posterior_tolerance(gp, n);
      EXPECT_NEAR(left_out.mean[i], static_cast<double>(p.mean), tolerance);
      EXPECT_NEAR(left_out.variance[i], static_cast<double>(p.variance) + gp.noise, tolerance);
    }
  }
}

TEST(BackendPosterior, LowestFittedMeanIsTheLowestPosteriorMeanAtTheData) {
  const auto backend = cpu();
  oracle::Uniform random(17);
  const oracle::Gp gp = some_gp(2, 0.1);
  const Points x = random.points(25, 2);
  const std::vector<double> y = random.values(25, -1, 1);
  const oracle::Regression exact(gp, x, y);
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& point : x) lowest = std::min(lowest, static_cast<double>(exact.at(point).mean));
  const std::vector<double> fitted = factor(*backend, gp, x, y)->lowest_fitted_mean();
  ASSERT_EQ(fitted.size(), 1u);
  EXPECT_NEAR(fitted[0], lowest, posterior_tolerance(gp, 25));
}

TEST(BackendPosterior, TenCopiesWithoutNoiseTakeAReportedJitter) {
  const auto backend = cpu();
  const oracle::Gp gp = some_gp(2, 0.0);
  const Points x(10, {0.3, 0.6});
  const std::vector<double> y(10, 0.5);
  const auto gp_factor = factor(*backend, gp, x, y);
  EXPECT_GE(gp_factor->jitter(), 1e-10);
  EXPECT_LE(gp_factor->jitter(), 1e-4);
  oracle::Gp jittered = gp;
  jittered.noise = gp_factor->jitter() * gp.signal;
  const oracle::Regression exact(jittered, x, y);
  // Condition number 10 / jitter; the mean of ten equal targets is theirs.
  expect_posterior(exact, *gp_factor, {{0.3, 0.6}, {0.5, 0.5}}, 1e-15 * 10 / gp_factor->jitter());
  EXPECT_TRUE(gp_factor->append(x[0]));  // at this jitter an eleventh copy has a pivot
}

TEST(BackendPosterior, AppendRefusesACopyThatHasNoPivot) {
  const auto backend = cpu();
  const oracle::Gp gp = some_gp(2, 0.0);
  const auto gp_factor = factor(*backend, gp, {{0.1, 0.2}, {0.8, 0.4}}, {0.0, 1.0});
  EXPECT_EQ(gp_factor->jitter(), 0.0);
  EXPECT_FALSE(gp_factor->append(std::vector<double>{0.8, 0.4}));
  EXPECT_EQ(gp_factor->observed(), 2u);
  EXPECT_TRUE(gp_factor->append(std::vector<double>{0.5, 0.9}));
}

TEST(BackendPosterior, BadInputIsRefusedLoudly) {
  const auto backend = cpu();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const oracle::Gp gp = some_gp(2);
  const Points x = {{0.1, 0.2}, {0.8, 0.4}};
  EXPECT_THROW(factor(*backend, gp, {}, {}), carbo::Error);
  EXPECT_THROW(factor(*backend, gp, x, {0.0}), carbo::InvalidOptions);
  EXPECT_THROW(factor(*backend, gp, x, {0.0, nan}), carbo::NumericalError);
  EXPECT_THROW(factor(*backend, gp, {{0.1, infinity}, {0.8, 0.4}}, {0.0, 1.0}), carbo::NumericalError);
  oracle::Gp bad = gp;
  bad.signal = nan;
  EXPECT_THROW(factor(*backend, bad, x, {0.0, 1.0}), carbo::InvalidOptions);
  bad = gp;
  bad.noise = -1;
  EXPECT_THROW(factor(*backend, bad, x, {0.0, 1.0}), carbo::InvalidOptions);
  const auto gp_factor = factor(*backend, gp, x, {0.0, 1.0});
  EXPECT_THROW(gp_factor->append(std::vector<double>{0.1, nan}), carbo::NumericalError);
  EXPECT_THROW(gp_factor->append(std::vector<double>{0.1}), carbo::InvalidOptions);
  EXPECT_THROW(gp_factor->set_targets(std::vector<double>{infinity, 0.0}), carbo::NumericalError);
  EXPECT_THROW(backend->make_candidates(Rows({{0.1, nan}}).view()), carbo::NumericalError);
  EXPECT_THROW(backend->make_candidates(MatrixView{}), carbo::InvalidOptions);
  EXPECT_THROW(backend->make_field(std::vector<double>{nan}, {}), carbo::NumericalError);
}
