#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "carbo/error.hpp"
#include "data/sklearn_reference.hpp"
#include "support/backend_fixture.hpp"
#include "support/not_finite.hpp"

using namespace fixture;
using oracle::Points;

namespace {

using carbo::test::infinity;

std::vector<int> one_group_per_column(std::size_t columns) {
  std::vector<int> groups(columns);
  std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

LikelihoodValue likelihood(Backend& backend, const Points& x, const std::vector<double>& y,
                           const std::vector<double>& log_parameters, const std::vector<int>& groups,
                           std::optional<double> mean = {}) {
  const Rows rows(x);
  const LikelihoodRequest request{rows.view(), y, groups, log_parameters, mean};
  LikelihoodValue value;
  backend.likelihoods({&request, 1}, {&value, 1});
  return value;
}

oracle::Gp gp_of(const std::vector<double>& log_parameters, const std::vector<int>& groups, double mean) {
  oracle::Gp gp;
  for (const int group : groups) gp.lengthscales.push_back(std::exp(log_parameters[static_cast<std::size_t>(group)]));
  gp.signal = std::exp(log_parameters[log_parameters.size() - 2]);
  gp.noise = std::exp(log_parameters.back());
  gp.mean = mean;
  return gp;
}

/// Σ(K⁻¹y) / Σ(K⁻¹1) from the dense inverse.
double least_squares_mean(const oracle::Gp& gp, const Points& x, const std::vector<double>& y) {
  const oracle::Inverse inverse = oracle::invert(oracle::gram(gp, x));
  oracle::Real above = 0;
  oracle::Real below = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) {
      above += inverse.matrix[i][j] * static_cast<oracle::Real>(y[j]);
      below += inverse.matrix[i][j];
    }
  return static_cast<double>(above / below);
}

}  // namespace

TEST(BackendLikelihood, MatchesDenseInverseAndItsFiniteDifferences) {
  const auto backend = cpu();
  oracle::Uniform random(21);
  for (const std::size_t n : {1, 2, 9, 40, 96, 97}) {
    const Points x = random.points(n, 3);
    const std::vector<double> y = random.values(n, -1.5, 1.5);
    const std::vector<int> groups = {0, 1, 1};  // the last two columns share a lengthscale
    const std::vector<double> theta = {-0.9, -0.2, 0.4, -3.5};
    for (const bool given_mean : {true, false}) {
      const std::optional<double> mean = given_mean ? std::optional<double>(0.3) : std::nullopt;
      const LikelihoodValue value = likelihood(*backend, x, y, theta, groups, mean);
      const auto exact = [&](const std::vector<double>& at) {
        oracle::Gp gp = gp_of(at, groups, 0.3);
        if (!given_mean) gp.mean = least_squares_mean(gp, x, y);
        return oracle::Regression(gp, x, y).log_likelihood();
      };
      const double scale = 1 + std::abs(static_cast<double>(exact(theta)));
      EXPECT_NEAR(value.log_likelihood, static_cast<double>(exact(theta)), 1e-12 * scale * static_cast<double>(n));
      EXPECT_EQ(value.jitter, 0.0);
      const double expected_mean = given_mean ? 0.3 : least_squares_mean(gp_of(theta, groups, 0), x, y);
      EXPECT_NEAR(value.mean, expected_mean, 1e-10);
      ASSERT_EQ(value.gradient.size(), theta.size());
      if (n > 60 && !given_mean) continue;
      for (std::size_t p = 0; p < theta.size(); ++p) {
        const double step = 1e-4;
        std::vector<double> up = theta;
        std::vector<double> down = theta;
        up[p] += step;
        down[p] -= step;
        const double difference =
            static_cast<double>((exact(up) - exact(down)) / (2 * static_cast<oracle::Real>(step)));
        // Central differences: step² = 1e-8 times a third derivative of the size of the likelihood.
        EXPECT_NEAR(value.gradient[p], difference, 1e-7 * scale * 10) << "n = " << n << ", parameter " << p;
      }
    }
  }
}

TEST(BackendLikelihood, MatchesScikitLearn) {
  namespace reference = sklearn_reference;
  const auto backend = cpu();
  const MatrixView x{reference::x, reference::rows, reference::columns};
  const std::vector<int> groups = one_group_per_column(reference::columns);
  std::vector<double> theta;
  for (const double lengthscale : reference::lengthscales) theta.push_back(std::log(lengthscale));
  theta.push_back(std::log(reference::signal));
  theta.push_back(std::log(reference::noise));
  const LikelihoodRequest request{x, reference::y, groups, theta, reference::mean};
  LikelihoodValue value;
  backend->likelihoods({&request, 1}, {&value, 1});
  // Both sides round at about ε · condition number (24 · 1.9 / 0.02 ≈ 2300).
  EXPECT_NEAR(value.log_likelihood, reference::log_likelihood, 1e-11);
  for (std::size_t p = 0; p < theta.size(); ++p) EXPECT_NEAR(value.gradient[p], reference::gradient[p], 1e-10);

  GpParameters parameters;
  for (const double lengthscale : reference::lengthscales) parameters.inverse_lengthscales.push_back(1 / lengthscale);
  parameters.signal_variance = reference::signal;
  parameters.noise_variance = reference::noise;
  parameters.mean = reference::mean;
  const auto factors = backend->factor(x, reference::y, {&parameters, 1});
  std::vector<double> mean(reference::queries);
  std::vector<double> variance(reference::queries);
  factors[0]->predict({reference::query, reference::queries, reference::columns}, mean, variance);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(mean[i], reference::posterior_mean[i], 1e-11);
    EXPECT_NEAR(variance[i], reference::posterior_variance[i], 1e-11);
  }
}

TEST(BackendLikelihood, JitterIsReportedAndPartOfTheGradient) {
  const auto backend = cpu();
  oracle::Uniform random(23);
  const Points x(10, {0.4, 0.7});
  const std::vector<double> y = random.values(10, -1, 1);
  const std::vector<int> groups = {0, 1};
  const std::vector<double> theta = {-0.5, -0.5, 0.1, -80.0};  // noise e^-80: nothing
  const LikelihoodValue value = likelihood(*backend, x, y, theta, groups, 0.0);
  EXPECT_GE(value.jitter, 1e-10);
  ASSERT_TRUE(std::isfinite(value.log_likelihood));
  oracle::Gp gp = gp_of(theta, groups, 0);
  gp.noise += value.jitter * (gp.signal + gp.noise);
  const double exact = static_cast<double>(oracle::Regression(gp, x, y).log_likelihood());
  // The quadratic form is about Σy²/jitter and its relative rounding about ε · 10 / jitter.
  EXPECT_NEAR(value.log_likelihood, exact, 2.2e-16 * 100 / value.jitter * std::abs(exact));
  // Everything scales with the signal variance: d/dlog s² = (quadratic − n) / 2, exactly so with relative jitter.
  const double log_2pi = std::log(2 * std::acos(-1.0));
  const oracle::Inverse inverse = oracle::invert(oracle::gram(gp, x));
  const double quadratic = -2 * exact - static_cast<double>(inverse.log_determinant) - 10 * log_2pi;
  EXPECT_NEAR(value.gradient[2], (quadratic - 10) / 2, 2.2e-16 * 1000 / value.jitter * quadratic);
}

TEST(BackendLikelihood, ParametersOutOfReachGiveMinusInfinityWithZeroGradient) {
  const auto backend = cpu();
  const Points x = {{0.1}, {0.5}, {0.9}};
  const std::vector<double> y = {0.0, 1.0, -1.0};
  for (const std::vector<double>& theta :
       {std::vector<double>{0.0, 800.0, 0.0}, {-800.0, 0.0, 0.0}, {0, 0, infinity}}) {
    const LikelihoodValue value = likelihood(*backend, x, y, theta, {0});
    EXPECT_EQ(value.log_likelihood, -infinity);
    for (const double slope : value.gradient) EXPECT_EQ(slope, 0.0);
    EXPECT_EQ(value.gradient.size(), 3u);
  }
}

TEST(BackendLikelihood, BadRequestsAreRefused) {
  const auto backend = cpu();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Points x = {{0.1}, {0.5}};
  const std::vector<double> theta = {0, 0, -2};
  EXPECT_THROW(likelihood(*backend, {}, {}, theta, {}), carbo::InvalidOptions);
  EXPECT_THROW(likelihood(*backend, x, {1.0}, theta, {0}), carbo::InvalidOptions);
  EXPECT_THROW(likelihood(*backend, x, {1.0, nan}, theta, {0}), carbo::NumericalError);
  EXPECT_THROW(likelihood(*backend, {{0.1}, {infinity}}, {1.0, 2.0}, theta, {0}), carbo::NumericalError);
  EXPECT_THROW(likelihood(*backend, x, {1.0, 2.0}, {0, nan, 0}, {0}), carbo::InvalidOptions);
  EXPECT_THROW(likelihood(*backend, x, {1.0, 2.0}, theta, {1}), carbo::InvalidOptions);
  EXPECT_THROW(likelihood(*backend, x, {1.0, 2.0}, theta, {0, 0}), carbo::InvalidOptions);
}

TEST(BackendLikelihood, IsTheSameToTheBitForAnyThreadsAndBatch) {
  oracle::Uniform random(29);
  const Points x = random.points(300, 4);  // above the size from which threads work inside one request
  const std::vector<double> y = random.values(300, -1, 1);
  const std::vector<int> groups = one_group_per_column(4);
  std::vector<std::vector<double>> thetas;
  for (int r = 0; r < 5; ++r) thetas.push_back(random.values(6, -2.5, 0.0));
  const Rows rows(x);
  std::vector<LikelihoodRequest> requests;
  for (const auto& theta : thetas) requests.push_back({rows.view(), y, groups, theta, {}});
  std::vector<LikelihoodValue> first;
  for (const std::size_t threads : {1, 2, 7}) {
    const auto backend = cpu(threads);
    std::vector<LikelihoodValue> batch(requests.size());
    backend->likelihoods(requests, batch);
    if (first.empty()) first = batch;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      LikelihoodValue alone;
      backend->likelihoods({&requests[r], 1}, {&alone, 1});
      for (const LikelihoodValue* value : {&batch[r], &alone}) {
        EXPECT_EQ(value->log_likelihood, first[r].log_likelihood);
        EXPECT_EQ(value->gradient, first[r].gradient);
        EXPECT_EQ(value->mean, first[r].mean);
      }
    }
  }
}
