#include "gp/copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <carbo/error.hpp>

#include "gp/log_posterior.hpp"
#include "gp/surrogate.hpp"
#include "support/backend_fixture.hpp"
#include "support/backend_oracle.hpp"
#include "unit/gp/two_columns.hpp"

namespace carbo::internal {
namespace {

/// `distinct` points, observed 1, 2, 3, 4, 1, 2, … times each in a mixed order, with noise of sd 0.3.
struct Scene {
  explicit Scene(std::size_t distinct, std::uint64_t seed = 5) {
    oracle::Uniform uniform(seed);
    const oracle::Points points = uniform.points(distinct, 2);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < distinct; ++i) rows.insert(rows.end(), 1 + i % 4, i);
    std::shuffle(rows.begin(), rows.end(), std::mt19937_64(seed));
    for (const std::size_t row : rows) {
      x.push_back(points[row]);
      y.push_back(std::sin(4 * points[row][0]) + points[row][1] + 0.3 * (uniform() + uniform() - 1));
    }
    data.columns = 2;
    data.points = oracle::flat(x);
    data.targets = y;
  }
  oracle::Points x;
  std::vector<double> y;
  TrainingData data;
};

oracle::Gp gp_of(std::span<const double> log_parameters, double mean) {
  return {{std::exp(log_parameters[0]), std::exp(log_parameters[1])},
          std::exp(log_parameters[2]),
          std::exp(log_parameters[3]),
          mean};
}

/// 1ᵀK⁻¹y / 1ᵀK⁻¹1 over all observations.
double oracle_mean(const Scene& scene, std::span<const double> log_parameters) {
  const oracle::Matrix inverse = oracle::invert(oracle::gram(gp_of(log_parameters, 0), scene.x)).matrix;
  oracle::Real product = 0, norm = 0;
  for (std::size_t i = 0; i < inverse.size(); ++i)
    for (std::size_t j = 0; j < inverse.size(); ++j) {
      product += inverse[i][j] * static_cast<oracle::Real>(scene.y[j]);
      norm += inverse[i][j];
    }
  return static_cast<double>(product / norm);
}

double oracle_likelihood(const Scene& scene, std::span<const double> log_parameters) {
  const oracle::Gp gp = gp_of(log_parameters, oracle_mean(scene, log_parameters));
  return static_cast<double>(oracle::Regression(gp, scene.x, scene.y).log_likelihood());
}

TEST(Copies, WithoutCopiesNothingChanges) {
  oracle::Uniform uniform(3);
  TrainingData data;
  data.columns = 3;
  data.points = oracle::flat(uniform.points(40, 3));
  data.targets = uniform.values(40, -1, 1);
  const MergedCopies merged = merge_copies(data);
  EXPECT_EQ(merged.rows.points, data.points);
  EXPECT_EQ(merged.rows.targets, data.targets);
  EXPECT_TRUE(merged.rows.counts.empty());
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(merged.row_of[i], i);
}

TEST(Copies, AreCountedAveragedAndTheirSquaresKept) {
  TrainingData data;
  data.columns = 2;
  data.points = {0.5, 0.0, 0.1, 0.2, 0.5, -0.0, 0.5, 0.0, 0.1, 0.25};
  data.targets = {1, 7, 2, 6, 5};
  const MergedCopies merged = merge_copies(data);
  EXPECT_EQ(merged.rows.points, (std::vector<double>{0.5, 0.0, 0.1, 0.2, 0.1, 0.25}));
  EXPECT_EQ(merged.rows.targets, (std::vector<double>{3, 7, 5}));
  EXPECT_EQ(merged.rows.counts, (std::vector<double>{3, 1, 1}));
  EXPECT_EQ(merged.rows.squares, (std::vector<double>{4 + 1 + 9, 0, 0}));
  EXPECT_EQ(merged.row_of, (std::vector<std::size_t>{0, 1, 0, 0, 2}));
}

/// The likelihood of the merged rows is that of every observation on its own, by an oracle that never merges.
TEST(Copies, LikelihoodAndGradientAreThoseOfAllObservations) {
  const auto backend = fixture::cpu();
  const Scene scene(14);
  const TrainingData rows = merge_copies(scene.data).rows;
  ASSERT_EQ(rows.size(), 14u);
  ASSERT_GT(scene.y.size(), 30u);
  SurrogateOptions options;
  options.estimation = Estimation::maximum_likelihood;
  const LogPosterior posterior(FitProblem{&rows, groups, &options, {}});
  for (const std::vector<double>& at :
       {std::vector<double>{-1.0, -0.5, 0.3, -2.0}, std::vector<double>{0.4, -1.5, 1.0, -5.0}}) {
    const LikelihoodRequest request = posterior.request(at);
    LikelihoodValue value;
    backend->likelihoods({&request, 1}, {&value, 1});
    value = posterior.total(at, {&value, 1});
    // Condition number about 30 · e / e^−5, at 1e-16.
    EXPECT_NEAR(value.log_likelihood, oracle_likelihood(scene, at), 1e-10);
    EXPECT_NEAR(value.mean, oracle_mean(scene, at), 1e-11);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double step = 1e-4;
      std::vector<double> above = at, below = at;
      above[i] += step;
      below[i] -= step;
      const double slope = (oracle_likelihood(scene, above) - oracle_likelihood(scene, below)) / (2 * step);
      // Central differences err by step² times a third derivative of the order of the number of observations.
      EXPECT_NEAR(value.gradient[i], slope, 2e-6) << i;
    }
  }
}

TEST(Copies, APosteriorIsThatOfAllObservations) {
  const auto backend = fixture::cpu();
  for (const double noise : {0.2, 1e-3}) {
    const Scene scene(20);
    oracle::Gp gp = fixture::some_gp(2, noise);
    const TrainingData rows = merge_copies(scene.data).rows;
    const GpParameters parameters = fixture::parameters(gp);
    const auto factors = backend->factor(rows.view(), rows.targets, {&parameters, 1}, rows.counts);
    EXPECT_EQ(factors.front()->jitter(), 0.0);
    const oracle::Regression all(gp, scene.x, scene.y);
    const oracle::Points at = oracle::Uniform(8).points(10, 2);
    std::vector<double> mean(10), variance(10);
    factors.front()->predict(fixture::Rows(at).view(), mean, variance);
    const double tolerance = fixture::posterior_tolerance(gp, scene.y.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_NEAR(mean[i], static_cast<double>(all.at(at[i]).mean), tolerance);
      EXPECT_NEAR(variance[i], static_cast<double>(all.at(at[i]).variance), tolerance);
    }
    double lowest = 1e300;
    for (const auto& point : scene.x) lowest = std::min(lowest, static_cast<double>(all.at(point).mean));
    EXPECT_NEAR(factors.front()->lowest_fitted_mean().front(), lowest, tolerance);
  }
}

/// Fantasised and appended points meet rows with copies in the same factor.
TEST(Copies, FantasiesAndAppendedPointsFollowAsAmongAllObservations) {
  const auto backend = fixture::cpu();
  const Scene scene(12);
  const oracle::Gp gp = fixture::some_gp(2, 0.05);
  const GpParameters parameters = fixture::parameters(gp);
  const TrainingData rows = merge_copies(scene.data).rows;
  const auto merged = std::move(backend->factor(rows.view(), rows.targets, {&parameters, 1}, rows.counts).front());
  const auto all = fixture::factor(*backend, gp, scene.x, scene.y);
  const std::vector<double> fresh{0.35, 0.6}, normals{0.3, -1.2};
  ASSERT_TRUE(merged->append(fresh));
  ASSERT_TRUE(all->append(fresh));
  std::vector<double> targets = rows.targets, every = scene.y;
  targets.push_back(0.4);
  every.push_back(0.4);
  merged->set_targets(targets);
  all->set_targets(every);
  for (const std::vector<double>& point : {std::vector<double>{0.1, 0.9}, scene.x.front()}) {
    const std::vector<double> a = merged->fantasise(point, normals), b = all->fantasise(point, normals);
    for (std::size_t f = 0; f < a.size(); ++f) EXPECT_NEAR(a[f], b[f], 1e-11);
  }
  const std::vector<double> a = merged->lowest_fitted_mean(), b = all->lowest_fitted_mean();
  for (std::size_t f = 0; f < a.size(); ++f) EXPECT_NEAR(a[f], b[f], 1e-11);
}

TEST(Copies, EveryObservationIsLeftOutAlone) {
  const auto backend = fixture::cpu();
  const Scene scene(15);
  SurrogateOptions options;
  options.fixed = Hyperparameters{{0.4, 0.8}, 1.2, 0.04, 0.1};
  Surrogate surrogate(*backend, options, groups);
  ASSERT_EQ(surrogate.prepare(scene.data), nullptr);
  surrogate.update(std::nullopt);
  EXPECT_EQ(surrogate.factor().observed(), 15u);
  ASSERT_TRUE(surrogate.left_out());
  ASSERT_EQ(surrogate.left_out()->mean.size(), scene.y.size());
  for (std::size_t i = 0; i < scene.y.size(); ++i) {
    oracle::Points others = scene.x;
    std::vector<double> values = scene.y;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
    const oracle::Posterior left = oracle::Regression({{0.4, 0.8}, 1.2, 0.04, 0.1}, others, values).at(scene.x[i]);
    EXPECT_NEAR(surrogate.left_out()->mean[i], static_cast<double>(left.mean), 1e-11);
    EXPECT_NEAR(surrogate.left_out()->variance[i], static_cast<double>(left.variance) + 0.04, 1e-11);
  }
}

TEST(Copies, AFitFindsWhatItWouldFindAmongAllObservations) {
  const auto backend = fixture::cpu();
  const Scene scene(60);
  const TrainingData rows = merge_copies(scene.data).rows;
  const SurrogateOptions options;
  const FitProblem problems[] = {{&rows, groups, &options, {}}, {&scene.data, groups, &options, {}}};
  const std::vector<FitResult> found = fit(*backend, problems, 3);
  // Both stop where a step gains less than 1e-5 of the log likelihood.
  EXPECT_NEAR(found[0].log_likelihood, found[1].log_likelihood, 0.02);
  EXPECT_NEAR(std::log(found[0].hyperparameters.noise_variance), std::log(found[1].hyperparameters.noise_variance),
              0.05);
  EXPECT_NEAR(std::log(found[0].hyperparameters.lengthscales[0]), std::log(found[1].hyperparameters.lengthscales[0]),
              0.1);
}

/// As many as would make a matrix of 800 MB.
TEST(Copies, TenThousandOfOnePointAreOneRowThatKnowsItsNoise) {
  const auto backend = fixture::cpu();
  Surrogate surrogate(*backend, {}, groups);
  oracle::Uniform uniform(9);
  TrainingData data;
  data.columns = 2;
  for (std::size_t i = 0; i < 10000; ++i) {
    data.points.insert(data.points.end(), {0.25, 0.75});
    data.targets.push_back(std::sqrt(3.0) * (2 * uniform() - 1));  // variance 1, as standardised targets have
  }
  const FitProblem* problem = surrogate.prepare(data);
  ASSERT_NE(problem, nullptr);
  surrogate.update(fit(*backend, {problem, 1}, 1).front());
  EXPECT_EQ(surrogate.factor().observed(), 1u);
  EXPECT_NEAR(surrogate.hyperparameters().noise_variance, 1.0, 0.05);
  double mean = 0, variance = 0;
  surrogate.factor().predict({data.points.data(), 1, 2}, {&mean, 1}, {&variance, 1});
  EXPECT_NEAR(mean, 0.0, 0.05);
  EXPECT_NEAR(variance, 1e-4, 1e-5);
  ASSERT_TRUE(surrogate.calibration());
  EXPECT_NEAR(surrogate.calibration()->squared_residual, 1.0, 0.05);
}

/// A row more is appended; a copy of an old one changes its noise, which takes a new factor.
TEST(Copies, OfAKnownPointAreTakenUpBetweenFits) {
  const auto backend = fixture::cpu();
  SurrogateOptions options;
  options.fixed = Hyperparameters{{0.4, 0.8}, 1.2, 0.04, 0.1};
  Surrogate surrogate(*backend, options, groups);
  Scene scene(12);
  const auto take = [&](std::vector<double> point, double value) {
    scene.x.push_back(point);
    scene.y.push_back(value);
    scene.data.points.insert(scene.data.points.end(), point.begin(), point.end());
    scene.data.targets.push_back(value);
    surrogate.prepare(scene.data);
    surrogate.update(std::nullopt);
    const oracle::Regression all({{0.4, 0.8}, 1.2, 0.04, 0.1}, scene.x, scene.y);
    double mean = 0, variance = 0;
    surrogate.factor().predict({point.data(), 1, 2}, {&mean, 1}, {&variance, 1});
    EXPECT_NEAR(mean, static_cast<double>(all.at(point).mean), 1e-11);
    EXPECT_NEAR(variance, static_cast<double>(all.at(point).variance), 1e-11);
  };
  take({0.31, 0.62}, 0.5);
  const GpFactor* const factor = &surrogate.factor();
  take({0.93, 0.12}, 0.2);
  EXPECT_EQ(&surrogate.factor(), factor);
  EXPECT_EQ(surrogate.factor().observed(), 14u);
  take({0.93, 0.12}, -0.4);
  take({0.31, 0.62}, 0.1);
  take({0.32, 0.62}, 0.3);
  EXPECT_EQ(surrogate.factor().observed(), 15u);
}

/// Rows may stand for several observations, never for less than one.
TEST(Copies, BackendsRefuseCountsThatAreNone) {
  const auto backend = fixture::cpu();
  const std::vector<double> points{0.1, 0.2, 0.3, 0.4}, targets{0, 1}, log_parameters{0, 0, 0, -2};
  const GpParameters parameters = fixture::parameters(fixture::some_gp(2));
  for (const std::vector<double>& counts : {std::vector<double>{1}, std::vector<double>{1, 0.5},
                                            std::vector<double>{std::nan(""), 1}, std::vector<double>{1, HUGE_VAL}}) {
    const MatrixView view{points.data(), 2, 2};
    const LikelihoodRequest request{view, targets, groups, log_parameters, {}, counts};
    LikelihoodValue value;
    EXPECT_THROW(backend->likelihoods({&request, 1}, {&value, 1}), InvalidOptions);
    EXPECT_THROW(backend->factor(view, targets, {&parameters, 1}, counts), InvalidOptions);
  }
}

}  // namespace
}  // namespace carbo::internal
