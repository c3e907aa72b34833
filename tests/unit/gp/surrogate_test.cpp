#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <carbo/error.hpp>

#include "gp/surrogate.hpp"
#include "gp/transform.hpp"
#include "support/expect_error.hpp"
#include "support/reference_backend.hpp"
#include "unit/gp/two_columns.hpp"

namespace carbo::internal {
namespace {

/// The first `rows` rows of one endless data set of two columns, with noise of sd 0.1.
TrainingData rows_of(std::size_t rows) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> unit;
  std::normal_distribution<double> normal;
  TrainingData data;
  data.columns = 2;
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = unit(engine), y = unit(engine);
    data.points.insert(data.points.end(), {x, y});
    data.targets.push_back(std::sin(5 * x) + y * y + 0.1 * normal(engine));
    normal.reset();
  }
  const Standardisation units = standardisation(data.targets);
  for (double& target : data.targets) target = standardise(target, units);
  return data;
}

/// Whole update; returns the problem that was fitted, if any.
std::optional<FitProblem> update(Backend& backend, Surrogate& surrogate, TrainingData data) {
  const FitProblem* wanted = surrogate.prepare(std::move(data));
  if (!wanted) {
    surrogate.update(std::nullopt);
    return std::nullopt;
  }
  const FitProblem fitted = *wanted;
  surrogate.update(fit(backend, {wanted, 1}, 1).front());
  return fitted;
}

/// Largest difference of the surrogate's predictions from those of a GP made anew.
double distance_from_fresh(const Surrogate& surrogate) {
  const GpParameters& parameters = surrogate.factor().parameters();
  const test::ReferenceFactor fresh(surrogate.data().view(), surrogate.data().targets, parameters);
  const std::vector<double> at{0.1, 0.2, 0.5, 0.5, 0.9, 0.3};
  std::vector<double> mean(3), variance(3), fresh_mean(3), fresh_variance(3);
  surrogate.factor().predict({at.data(), 3, 2}, mean, variance);
  fresh.predict({at.data(), 3, 2}, fresh_mean, fresh_variance);
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    largest = std::max({largest, std::abs(mean[i] - fresh_mean[i]), std::abs(variance[i] - fresh_variance[i])});
  }
  return largest;
}

SurrogateOptions fixed_options(std::optional<double> mean) {
  SurrogateOptions options;
  options.fixed = Hyperparameters{{0.4, 0.8}, 1.2, 1e-3, mean};
  return options;
}

TEST(Surrogate, FitsFullyWhileSmallAndWhenGrownByHalf) {
  test::ReferenceBackend backend;
  Surrogate surrogate(backend, {}, groups);
  EXPECT_FALSE(surrogate.ready());
  for (std::size_t rows = 1; rows <= 22; ++rows) {
    const auto fitted = update(backend, surrogate, rows_of(rows));
    ASSERT_TRUE(fitted) << rows;
    // Fully below 10 rows, then at 1.5 times the last full fit: 9 → 14 → 21.
    const bool full = rows < 10 || rows == 14 || rows == 21;
    EXPECT_EQ(fitted->full, full) << rows;
    EXPECT_EQ(fitted->warm_start.has_value(), rows > 1);
    EXPECT_EQ(surrogate.factor().observed(), rows);
    EXPECT_TRUE(surrogate.calibration());
    EXPECT_LT(distance_from_fresh(surrogate), 1e-10);
  }
}

TEST(Surrogate, ManyRowsAreFittedWhenGrownByATenthAndAppendedOtherwise) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  Surrogate surrogate(*backend, {}, groups);
  ASSERT_TRUE(update(*backend, surrogate, rows_of(140)));
  const std::vector<double> lengthscales = surrogate.hyperparameters().lengthscales;
  const GpFactor* factor = &surrogate.factor();
  for (const std::size_t rows : {141u, 142u, 150u}) {
    EXPECT_FALSE(update(*backend, surrogate, rows_of(rows)));
    EXPECT_EQ(surrogate.hyperparameters().lengthscales, lengthscales);
    EXPECT_EQ(&surrogate.factor(), factor);  // appended to
    EXPECT_EQ(surrogate.factor().observed(), rows);
    // Two factorisations of a matrix of condition about n · σ_f² / σ_n² ≈ 1e5: rounding 1e-16 · 1e5, times n.
    EXPECT_LT(distance_from_fresh(surrogate), 1e-8);
  }
  const auto fitted = update(*backend, surrogate, rows_of(155));
  ASSERT_TRUE(fitted);
  EXPECT_FALSE(fitted->full);
}

TEST(Surrogate, RowsInAnotherOrderAreFactoredAnew) {
  test::ReferenceBackend backend;
  Surrogate surrogate(backend, fixed_options(0.1), groups);
  update(backend, surrogate, rows_of(6));
  const int before = backend.factor_calls;
  TrainingData swapped = rows_of(7);
  std::swap(swapped.points[0], swapped.points[2]);
  std::swap(swapped.points[1], swapped.points[3]);
  std::swap(swapped.targets[0], swapped.targets[1]);
  update(backend, surrogate, swapped);
  EXPECT_EQ(backend.factor_calls, before + 1);
  EXPECT_LT(distance_from_fresh(surrogate), 1e-10);
  update(backend, surrogate, rows_of(3));  // fewer rows than before
  EXPECT_EQ(surrogate.factor().observed(), 3u);
  EXPECT_LT(distance_from_fresh(surrogate), 1e-10);
}

TEST(Surrogate, FixedHyperparametersAreNeverFitted) {
  test::ReferenceBackend backend;
  Surrogate surrogate(backend, fixed_options(0.1), groups);
  for (const std::size_t rows : {1u, 2u, 30u}) {
    EXPECT_FALSE(update(backend, surrogate, rows_of(rows)));
    EXPECT_EQ(surrogate.hyperparameters().lengthscales, (std::vector<double>{0.4, 0.8}));
    EXPECT_EQ(surrogate.factor().parameters().mean, 0.1);
    EXPECT_TRUE(surrogate.calibration());
    EXPECT_LT(distance_from_fresh(surrogate), 1e-10);
  }
  EXPECT_EQ(backend.likelihood_calls, 0);
}

TEST(Surrogate, AnAbsentFixedMeanIsEstimated) {
  test::ReferenceBackend backend;
  Surrogate surrogate(backend, fixed_options(std::nullopt), groups);
  for (const std::size_t rows : {4u, 9u}) {
    EXPECT_FALSE(update(backend, surrogate, rows_of(rows)));
    const TrainingData data = rows_of(rows);
    Eigen::MatrixXd gram = test::reference_gram(surrogate.factor().parameters(), data.view());
    gram.diagonal().array() += 1e-3;
    const Eigen::VectorXd ones = gram.fullPivLu().solve(Eigen::VectorXd::Ones(rows));
    const double mean = ones.dot(Eigen::Map<const Eigen::VectorXd>(data.targets.data(), rows)) / ones.sum();
    EXPECT_NEAR(surrogate.factor().parameters().mean, mean, 1e-10);
  }
}

TEST(Surrogate, DuplicatesEqualTargetsAndOneRowWork) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  for (const Estimation estimation : {Estimation::maximum_likelihood, Estimation::map}) {
    SurrogateOptions options;
    options.estimation = estimation;
    Surrogate surrogate(*backend, options, groups);
    TrainingData data = rows_of(1);
    update(*backend, surrogate, data);
    for (std::size_t copies = 2; copies <= 10; ++copies) {
      data.points.insert(data.points.end(), {data.points[0], data.points[1]});
      data.targets.push_back(0.0);
      update(*backend, surrogate, data);
    }
    double mean = -1, variance = -1;
    surrogate.factor().predict({data.points.data(), 1, 2}, {&mean, 1}, {&variance, 1});
    EXPECT_NEAR(mean, 0.0, 1e-12);
    EXPECT_GE(variance, 0.0);
    EXPECT_LT(variance, 0.01);
    const double away[2] = {data.points[0] + 0.3, data.points[1]};
    surrogate.factor().predict({away, 1, 2}, {&mean, 1}, {&variance, 1});
    EXPECT_NEAR(mean, 0.0, 1e-12);
    EXPECT_GT(variance, 0.01);
  }
}

TEST(Surrogate, KeepsItsFactorWhereAnUpdateFails) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  Surrogate surrogate(*backend, {}, groups);
  update(*backend, surrogate, rows_of(8));
  TrainingData broken = rows_of(9);
  broken.points[17] = 1e308;
  broken.points[16] = -1e308;
  broken.points[0] = 1e308;
  const FitProblem* wanted = surrogate.prepare(broken);
  ASSERT_NE(wanted, nullptr);
  EXPECT_TRUE(surrogate.ready());
  EXPECT_EQ(surrogate.factor().observed(), 8u);
  update(*backend, surrogate, rows_of(9));
  EXPECT_EQ(surrogate.factor().observed(), 9u);
}

/// No fit ends at a noise of 0, and the logarithm of what a fit starts from must be finite. Callers may give one.
TEST(Surrogate, ANoiseOfZeroIsRestoredOnlyWhereItWasGiven) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  const TrainingData data = rows_of(8);
  Surrogate surrogate(*backend, {}, groups);
  update(*backend, surrogate, data);
  SurrogateState state = surrogate.state();
  state.hyperparameters.noise_variance = 0;
  for (const bool factored : {true, false}) {
    if (!factored) state.factor.reset();
    Surrogate restored(*backend, {}, groups);
    expect_error<InvalidState>([&] { restored.restore(data, state); }, {"noise_variance above 0", "as fits make it"});
    EXPECT_FALSE(restored.ready());
    EXPECT_EQ(restored.data().size(), 0u);
  }
  state.hyperparameters.noise_variance = 1e-12;
  Surrogate least(*backend, {}, groups);
  least.restore(data, state);
  EXPECT_EQ(least.hyperparameters().noise_variance, 1e-12);

  SurrogateOptions options = fixed_options(0.1);
  options.fixed->noise_variance = 0;
  Surrogate given(*backend, options, groups), given_again(*backend, options, groups);
  update(*backend, given, data);
  given_again.restore(data, given.state());
  EXPECT_EQ(given_again.hyperparameters().noise_variance, 0.0);
  EXPECT_EQ(given_again.factor().observed(), 8u);
}

TEST(Surrogate, RefusesNoDataAndBadOptions) {
  test::ReferenceBackend backend;
  Surrogate surrogate(backend, {}, groups);
  EXPECT_THROW(surrogate.prepare({}), InvalidObservation);
  SurrogateOptions options = fixed_options(0.0);
  options.fixed->lengthscales = {1.0};
  expect_error<InvalidOptions>([&] { Surrogate(backend, options, groups, "cost.surrogate"); },
                               {"cost.surrogate.fixed.lengthscales", "2"});
}

}  // namespace
}  // namespace carbo::internal
