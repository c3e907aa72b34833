#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "carbo/error.hpp"
#include "support/backend_fixture.hpp"
#include "support/expect_error.hpp"

namespace background {

using namespace fixture;
using carbo::expect_error;
using oracle::Points;
using oracle::Real;

namespace {

/// A GP of a few rows, further points that only its mean knows, and places to ask for.
struct Scene {
  Scene(std::size_t rows, std::size_t further, std::size_t columns = 3, std::uint64_t seed = 1)
      : random(seed + 100 * rows + further),
        gp(some_gp(columns, 0.01)),
        x(random.points(rows, columns)),
        y(random.values(rows, -2, 2)),
        points(random.points(further, columns)),
        weights(random.values(further, -0.5, 0.5)),
        at(random.points(40, columns)) {}

  double tolerance() const { return posterior_tolerance(gp, x.size() + points.size()); }

  oracle::Uniform random;
  oracle::Gp gp;
  Points x;
  std::vector<double> y;
  Points points;
  std::vector<double> weights;
  Points at;
};

Real prior(const Scene& scene, const std::vector<double>& x) {
  Real sum = scene.gp.mean;
  for (std::size_t j = 0; j < scene.points.size(); ++j)
    sum += static_cast<Real>(scene.weights[j]) * oracle::covariance(scene.gp, scene.points[j], x);
  return sum;
}

/// Regression of what the prior mean leaves, with a mean of 0; `prior` must be added to what it predicts.
oracle::Regression residual_regression(const Scene& scene, const Points& x, const std::vector<double>& y) {
  oracle::Gp gp = scene.gp;
  gp.mean = 0;
  std::vector<double> residuals;
  for (std::size_t i = 0; i < x.size(); ++i) residuals.push_back(static_cast<double>(y[i] - prior(scene, x[i])));
  return {gp, x, residuals};
}

std::unique_ptr<GpFactor> factor_with_background(Backend& backend, const Scene& scene) {
  auto gp_factor = factor(backend, scene.gp, scene.x, scene.y);
  gp_factor->set_background(Rows(scene.points).view(), scene.weights);
  return gp_factor;
}

/// By `predict` with and without variances and by a sweep.
void expect_posterior(Backend& backend, const GpFactor& gp_factor, const Scene& scene,
                      const oracle::Regression& expected) {
  const Rows at(scene.at);
  const std::size_t count = scene.at.size();
  std::vector<double> means(count), variances(count), means_alone(count);
  gp_factor.predict(at.view(), means, variances);
  gp_factor.predict(at.view(), means_alone, {});
  const auto field = backend.sweep(gp_factor, *backend.make_candidates(at.view()), true);
  for (std::size_t i = 0; i < count; ++i) {
    const oracle::Posterior posterior = expected.at(scene.at[i]);
    const double mean = static_cast<double>(posterior.mean + prior(scene, scene.at[i]));
    ASSERT_NEAR(means[i], mean, scene.tolerance()) << i;
    ASSERT_NEAR(means_alone[i], mean, scene.tolerance()) << i;
    ASSERT_NEAR(field->mean(i), mean, scene.tolerance()) << i;
    ASSERT_NEAR(variances[i], static_cast<double>(posterior.variance), scene.tolerance()) << i;
    ASSERT_NEAR(field->variance(i), static_cast<double>(posterior.variance), scene.tolerance()) << i;
  }
}

}  // namespace

TEST(Background, IsThePriorMeanAtEverySize) {
  const auto backend = cpu();
  for (const std::size_t further : {1, 7, 8, 9, 263, 264, 265}) {
    const Scene scene(20, further);
    expect_posterior(*backend, *factor_with_background(*backend, scene), scene,
                     residual_regression(scene, scene.x, scene.y));
  }
  for (const std::size_t rows : {1, 8, 65})
    for (const std::size_t columns : {1, 2, 6}) {
      const Scene scene(rows, 30, columns);
      expect_posterior(*backend, *factor_with_background(*backend, scene), scene,
                       residual_regression(scene, scene.x, scene.y));
    }
}

TEST(Background, AnotherOneTakesItsPlaceAndAnEmptyOneItsAway) {
  const auto backend = cpu();
  Scene scene(25, 60);
  const auto gp_factor = factor_with_background(*backend, scene);
  Scene other = scene;
  other.points = scene.random.points(11, 3);
  other.weights = scene.random.values(11, -1, 1);
  gp_factor->set_background(Rows(other.points).view(), other.weights);
  expect_posterior(*backend, *gp_factor, other, residual_regression(other, other.x, other.y));
  gp_factor->set_background({}, {});
  other.points.clear();
  other.weights.clear();
  expect_posterior(*backend, *gp_factor, other, oracle::Regression(residual_regression(other, other.x, other.y)));
}

TEST(Background, TargetsAndRowsThatFollowAreMetByIt) {
  const auto backend = cpu();
  Scene scene(10, 50);
  const auto gp_factor = factor_with_background(*backend, scene);
  for (int more = 0; more < 3; ++more) {
    scene.x.push_back(scene.random.points(1, 3)[0]);
    ASSERT_TRUE(gp_factor->append(scene.x.back()));
    // Until it has a target of its own it counts as the prior mean there.
    scene.y.push_back(static_cast<double>(prior(scene, scene.x.back())));
    expect_posterior(*backend, *gp_factor, scene, residual_regression(scene, scene.x, scene.y));
    scene.y = scene.random.values(scene.x.size(), -1, 1);
    gp_factor->set_targets(scene.y);
    expect_posterior(*backend, *gp_factor, scene, residual_regression(scene, scene.x, scene.y));
  }
}

/// y* = μ(x*) + ℓz, and the posterior then is that of one more row with that target.
TEST(Background, FantasiesAreDrawnAboutTheMean) {
  const auto backend = cpu();
  Scene scene(15, 40);
  const auto gp_factor = factor_with_background(*backend, scene);
  const std::vector<double> point = scene.random.points(1, 3)[0], normals{0.7};
  const oracle::Posterior before = residual_regression(scene, scene.x, scene.y).at(point);
  const auto candidates = backend->make_candidates(Rows(scene.at).view());
  const auto field = backend->sweep(*gp_factor, *candidates, true);
  const Member member{gp_factor.get(), field.get()};
  const std::vector<double> values = backend->fantasise({&member, 1}, *candidates, point, normals);
  const Real deviation = std::sqrt(before.variance + static_cast<Real>(scene.gp.noise));
  EXPECT_NEAR(values[0], static_cast<double>(before.mean + prior(scene, point) + 0.7L * deviation),
              10 * scene.tolerance());
  scene.x.push_back(point);
  scene.y.push_back(values[0]);
  const oracle::Regression after = residual_regression(scene, scene.x, scene.y);
  for (std::size_t i = 0; i < scene.at.size(); ++i)
    EXPECT_NEAR(field->mean(i), static_cast<double>(after.at(scene.at[i]).mean + prior(scene, scene.at[i])),
                10 * scene.tolerance());
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& x : scene.x) lowest = std::min(lowest, static_cast<double>(after.at(x).mean + prior(scene, x)));
  EXPECT_NEAR(gp_factor->lowest_fitted_mean()[0], lowest, 10 * scene.tolerance());
  EXPECT_THROW(gp_factor->set_background({}, {}), carbo::InvalidOptions);
}

TEST(Background, ProductsAreThoseOfThePosteriorCovariance) {
  const auto backend = cpu();
  for (const std::size_t rows : {1, 9, 64})
    for (const std::size_t further : {1, 8, 70}) {
      const Scene scene(rows, further);
      const auto gp_factor = factor_with_background(*backend, scene);
      const oracle::Matrix inverse = oracle::invert(oracle::gram(scene.gp, scene.x)).matrix;
      const auto found = gp_factor->posterior_products(Rows(scene.points).view(), scene.weights);
      ASSERT_EQ(found.size(), further);
      // Σ_j c(x_i, x_j) v_j by g = k(X, points)v first.
      oracle::Vector g(rows, 0), explaining(rows, 0);
      for (std::size_t a = 0; a < rows; ++a)
        for (std::size_t j = 0; j < further; ++j)
          g[a] += oracle::covariance(scene.gp, scene.x[a], scene.points[j]) * static_cast<Real>(scene.weights[j]);
      for (std::size_t a = 0; a < rows; ++a)
        for (std::size_t b = 0; b < rows; ++b) explaining[a] += inverse[a][b] * g[b];
      for (std::size_t i = 0; i < further; ++i) {
        Real expected = 0;
        for (std::size_t j = 0; j < further; ++j)
          expected +=
              oracle::covariance(scene.gp, scene.points[i], scene.points[j]) * static_cast<Real>(scene.weights[j]);
        for (std::size_t a = 0; a < rows; ++a)
          expected -= oracle::covariance(scene.gp, scene.points[i], scene.x[a]) * explaining[a];
        ASSERT_NEAR(found[i], static_cast<double>(expected), scene.tolerance()) << rows << ", " << i;
      }
    }
}

TEST(Background, DoesNotDependOnThreads) {
  const Scene scene(90, 1500);
  const auto results = [&](std::size_t threads) {
    const auto backend = cpu(threads);
    const auto gp_factor = factor_with_background(*backend, scene);
    std::vector<double> means(1500);
    gp_factor->predict(Rows(scene.points).view(), means, {});
    const auto products = gp_factor->posterior_products(Rows(scene.points).view(), scene.weights);
    means.insert(means.end(), products.begin(), products.end());
    return means;
  };
  const std::vector<double> alone = results(1);
  for (const std::size_t threads : {2, 5}) EXPECT_EQ(results(threads), alone) << threads;
}

TEST(Background, WhatDoesNotFitIsRefusedAndChangesNothing) {
  const auto backend = cpu();
  const Scene scene(12, 6);
  const auto gp_factor = factor_with_background(*backend, scene);
  Rows rows(scene.points);
  const auto refused = [&]<class Error>(Error*, MatrixView points, std::vector<double> weights,
                                        const std::vector<std::string>& words) {
    expect_error<Error>([&] { gp_factor->set_background(points, weights); }, words);
    expect_error<Error>([&] { gp_factor->posterior_products(points, weights); }, words);
  };
  carbo::InvalidOptions* const options = nullptr;
  carbo::NumericalError* const numbers = nullptr;
  refused(options, rows.view(), {1.0, 2.0}, {"weights: 2 given, 6 needed"});
  refused(options, {rows.values.data(), 6, 2}, scene.weights, {"columns: 2 given, 3 needed"});
  refused(numbers, rows.view(), {0, 0, 0, std::nan(""), 0, 0}, {"weights: entry 3 is nan"});
  rows.values[7] = std::numeric_limits<double>::infinity();
  refused(numbers, rows.view(), scene.weights, {"points: row 2, column 1 is inf"});
  expect_posterior(*backend, *gp_factor, scene, residual_regression(scene, scene.x, scene.y));
}

}  // namespace background
