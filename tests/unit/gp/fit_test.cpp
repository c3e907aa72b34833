#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <carbo/error.hpp>

#include "unit/gp/fit_fixture.hpp"

namespace carbo::internal {
namespace {

INSTANTIATE_TEST_SUITE_P(Estimations, FitTest, ::testing::Values(Estimation::maximum_likelihood, Estimation::map),
                         estimation_name);

TEST_P(FitTest, GradientOfTheObjectiveAgreesWithFiniteDifferences) {
  const SurrogateOptions settings = options();
  for (const std::size_t rows : {2u, 7u, 33u}) {
    const TrainingData data = make_data(rows, 3, 0.1, rows);
    // Two columns share a lengthscale, as those of a categorical parameter do.
    const std::vector<int> groups{0, 1, 1};
    const LogPosterior posterior({&data, groups, &settings, std::nullopt, true});
    const std::vector<double> point{-0.7, 0.3, 0.4, -4.0};
    const auto [value, gradient] = evaluate(backend_, posterior, point);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const double h = 1e-4;
      std::vector<double> above = point, below = point;
      above[i] += h;
      below[i] -= h;
      const double slope =
          (evaluate(backend_, posterior, above).first - evaluate(backend_, posterior, below).first) / (2 * h);
      // Truncation h²/6 · f''' ≈ 2e-9 · n, rounding ε · |f| · cond / h ≈ 1e-16 · 1e2 · 1e4 / 1e-4 = 1e-6.
      EXPECT_NEAR(gradient[i], slope, 1e-5 * (1.0 + rows));
    }
  }
}

TEST_P(FitTest, BeatsRandomSearchOverTheBox) {
  const SurrogateOptions settings = options();
  for (const std::size_t rows : {5u, 25u}) {
    const TrainingData data = make_data(rows, 3, 0.05, 3 + rows);
    const FitProblem problem{&data, groups_3, &settings, std::nullopt, true};
    const FitResult result = fit(backend_, {&problem, 1}, 1).front();
    const LogPosterior posterior(problem);
    const double fitted = evaluate(backend_, posterior, to_log_parameters(result.hyperparameters)).first;
    std::mt19937_64 engine(5);
    double best_random = -INFINITY;
    for (int i = 0; i < 1500; ++i) {
      std::vector<double> point;
      for (std::size_t j = 0; j < posterior.parameters(); ++j) {
        point.push_back(std::uniform_real_distribution(posterior.lower()[j], posterior.upper()[j])(engine));
      }
      best_random = std::max(best_random, evaluate(backend_, posterior, point).first);
    }
    EXPECT_GT(fitted, best_random);
  }
}

TEST_P(FitTest, IsStationaryInsideAndPressedOutwardsAtTheBounds) {
  const SurrogateOptions settings = options();
  const TrainingData data = make_data(40, 3, 0.1, 17);
  const FitProblem problem{&data, groups_3, &settings, std::nullopt, true};
  const FitResult result = fit(backend_, {&problem, 1}, 1).front();
  const LogPosterior posterior(problem);
  const std::vector<double> point = to_log_parameters(result.hyperparameters);
  const auto [value, gradient] = evaluate(backend_, posterior, point);
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] <= posterior.lower()[i] + 1e-12) {
      EXPECT_LE(gradient[i], 0.0);
    } else if (point[i] >= posterior.upper()[i] - 1e-12) {
      EXPECT_GE(gradient[i], 0.0);
    } else {
      // A step that gains less than 1e-5 of the value ends a search: g ≤ √(2 · 1e-5 · |f| · curvature).
      EXPECT_NEAR(gradient[i], 0.0, std::sqrt(2e-5 * std::max(1.0, std::abs(value)) * 40));
    }
  }
  EXPECT_NEAR(
      result.log_likelihood,
      value -
          [&] {
            std::vector<double> g(point.size());
            return posterior.add_prior(point, g);
          }(),
      1e-9);
}

TEST_P(FitTest, LockstepGivesWhatFitsOneByOneGive) {
  const SurrogateOptions settings = options();
  const TrainingData first = make_data(12, 3, 0.1, 1), second = make_data(21, 2, 0.0, 2);
  const std::vector<int> groups_2{0, 1};
  const std::vector<FitProblem> problems{{&first, groups_3, &settings, std::nullopt, true},
                                         {&second, groups_2, &settings, std::nullopt, true}};
  const auto together = fit(backend_, problems, 9);
  for (std::size_t i = 0; i < 2; ++i) {
    const FitResult alone = fit(backend_, {&problems[i], 1}, 9).front();
    EXPECT_EQ(alone.hyperparameters.lengthscales, together[i].hyperparameters.lengthscales);
    EXPECT_EQ(alone.hyperparameters.signal_variance, together[i].hyperparameters.signal_variance);
    EXPECT_EQ(alone.hyperparameters.noise_variance, together[i].hyperparameters.noise_variance);
    EXPECT_EQ(alone.log_likelihood, together[i].log_likelihood);
    EXPECT_EQ(alone.evaluations, together[i].evaluations);
  }
}

TEST_P(FitTest, RestartsShareBatchedCalls) {
  const SurrogateOptions settings = options();
  const TrainingData data = make_data(15, 3, 0.1, 4);
  const FitProblem problem{&data, groups_3, &settings, std::nullopt, true};
  const FitResult result = fit(backend_, {&problem, 1}, 2).front();
  EXPECT_EQ(backend_.likelihoods_computed, result.evaluations);
  EXPECT_LT(static_cast<std::size_t>(backend_.likelihood_calls) * 2, result.evaluations);
}

TEST_P(FitTest, QuickFitReturnsToItsWarmStart) {
  const SurrogateOptions settings = options();
  const TrainingData data = make_data(30, 3, 0.1, 6);
  FitProblem problem{&data, groups_3, &settings, std::nullopt, true};
  const FitResult full = fit(backend_, {&problem, 1}, 2).front();
  problem.warm_start = full.hyperparameters;
  problem.full = false;
  const FitResult quick = fit(backend_, {&problem, 1}, 2).front();
  EXPECT_LT(quick.evaluations, 8u);
  EXPECT_GE(quick.log_likelihood, full.log_likelihood - 0.01);
}

TEST_P(FitTest, DataThatSayNothingHaveADefinedResult) {
  const SurrogateOptions settings = options();
  TrainingData one = make_data(1, 3, 0, 1), equal = make_data(6, 3, 0, 1);
  equal.targets.assign(6, 0.0);
  for (const TrainingData* data : {&one, &equal}) {
    const FitProblem problem{data, groups_3, &settings, std::nullopt, true};
    const FitResult result = fit(backend_, {&problem, 1}, 2).front();
    EXPECT_EQ(result.evaluations, 1u);
    EXPECT_EQ(result.hyperparameters.signal_variance, 1.0);
    EXPECT_EQ(*result.hyperparameters.mean, 0.0);
    for (const double lengthscale : result.hyperparameters.lengthscales) {
      EXPECT_NEAR(lengthscale, 0.5 * std::sqrt(3.0), 1e-12);
    }
    EXPECT_EQ(sample_hyperparameters(backend_, problem, result.hyperparameters, 3, 1).size(), 3u);
  }
}

TEST_P(FitTest, TenCopiesOfOnePointAreNoise) {
  const SurrogateOptions settings = options();
  TrainingData data = make_data(10, 3, 1.0, 5);
  for (std::size_t i = 3; i < data.points.size(); ++i) data.points[i] = data.points[i - 3];
  const FitProblem problem{&data, groups_3, &settings, std::nullopt, true};
  const FitResult result = fit(backend_, {&problem, 1}, 2).front();
  EXPECT_TRUE(std::isfinite(result.log_likelihood));
  EXPECT_GT(result.hyperparameters.noise_variance, 0.5);
  EXPECT_NEAR(*result.hyperparameters.mean, 0.0, 1e-9);
}

TEST_P(FitTest, FailedLikelihoodsAreReported) {
  const SurrogateOptions settings = options();
  TrainingData data = make_data(6, 3, 0.1, 5);
  data.points[4] = std::nan("");
  const FitProblem problem{&data, groups_3, &settings, std::nullopt, true};
  EXPECT_THROW(fit(backend_, {&problem, 1}, 2), NumericalError);
}

TEST_P(FitTest, LaplaceDrawsHaveThePosteriorsCovariance) {
  const SurrogateOptions settings = options();
  const TrainingData data = make_data(60, 2, 0.3, 12);
  const std::vector<int> groups{0, 1};
  const FitProblem problem{&data, groups, &settings, std::nullopt, true};
  const FitResult result = fit(*quick_backend_, {&problem, 1}, 2).front();
  const LogPosterior posterior(problem);
  const std::vector<double> centre = to_log_parameters(result.hyperparameters);
  const std::size_t draws = 2000;
  const auto samples = sample_hyperparameters(*quick_backend_, problem, result.hyperparameters, draws, 4);
  // Hessian by second differences of the value alone.
  Eigen::MatrixXd precision(4, 4);
  const double h = 1e-2;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (const int a : {-1, 1}) {
        for (const int b : {-1, 1}) {
          std::vector<double> point = centre;
          point[i] += a * h;
          point[j] += b * h;
          sum -= a * b * evaluate(backend_, posterior, point).first / (4 * h * h);
        }
      }
      precision(i, j) = sum;
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(precision);
  const Eigen::MatrixXd covariance = eigen.eigenvectors() *
                                     eigen.eigenvalues().cwiseMax(1.0).cwiseInverse().asDiagonal() *
                                     eigen.eigenvectors().transpose();
  Eigen::MatrixXd sampled = Eigen::MatrixXd::Zero(4, 4);
  for (const auto& sample : samples) {
    const std::vector<double> point = to_log_parameters(sample);
    Eigen::VectorXd offset(4);
    for (int i = 0; i < 4; ++i) offset[i] = point[i] - centre[i];
    sampled += offset * offset.transpose() / draws;
  }
  for (int i = 0; i < 4; ++i) {
    // Five standard errors of a variance from 2,000 draws: 5 · √(2 / 2000) = 16 %.
    EXPECT_NEAR(sampled(i, i) / covariance(i, i), 1.0, 0.16);
  }
}

TEST_P(FitTest, DrawsStayInTheBoxAndHaveTheirOwnMeans) {
  const SurrogateOptions settings = options();
  const TrainingData data = make_data(6, 3, 0.0, 3);
  const FitProblem problem{&data, groups_3, &settings, std::nullopt, true};
  const FitResult result = fit(backend_, {&problem, 1}, 2).front();
  const LogPosterior posterior(problem);
  const auto samples = sample_hyperparameters(backend_, problem, result.hyperparameters, 50, 7);
  ASSERT_EQ(samples.size(), 50u);
  for (const auto& sample : samples) {
    const std::vector<double> point = to_log_parameters(sample);
    for (std::size_t i = 0; i < point.size(); ++i) {
      EXPECT_GE(point[i], posterior.lower()[i] - 1e-12);
      EXPECT_LE(point[i], posterior.upper()[i] + 1e-12);
    }
    // Generalised least squares: 1ᵀ K⁻¹ (y − m) = 0.
    const GpParameters expanded = expand(backend_, sample, data, groups_3);
    Eigen::MatrixXd gram = test::reference_gram(expanded, data.view());
    gram.diagonal().array() += expanded.noise_variance;
    const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(data.targets.data(), 6);
    const Eigen::VectorXd ones = gram.fullPivLu().solve(Eigen::VectorXd::Ones(6));
    EXPECT_NEAR(ones.dot(y) / ones.sum(), *sample.mean, 1e-5);
  }
  EXPECT_NE(samples[0].lengthscales, samples[1].lengthscales);
  const auto again = sample_hyperparameters(backend_, problem, result.hyperparameters, 50, 7);
  EXPECT_EQ(again[49].lengthscales, samples[49].lengthscales);
}

TEST(Expand, SpreadsGroupsOverColumnsAndKeepsAGivenMean) {
  test::ReferenceBackend backend;
  const TrainingData data = make_data(5, 3, 0.1, 3);
  const std::vector<int> groups{0, 1, 1};
  Hyperparameters given{{0.5, 2.0}, 1.5, 0.0, 0.25};
  const GpParameters expanded = expand(backend, given, data, groups);
  EXPECT_EQ(expanded.inverse_lengthscales, (std::vector<double>{2.0, 0.5, 0.5}));
  EXPECT_EQ(expanded.mean, 0.25);
  EXPECT_EQ(backend.likelihood_calls, 0);
  given.mean.reset();
  EXPECT_TRUE(std::isfinite(expand(backend, given, data, groups).mean));
}

TEST(SurrogateValidation, NamesTheSettingAtFault) {
  const auto message = [](SurrogateOptions options) -> std::string {
    try {
      validate(options, 2, "surrogate");
    } catch (const InvalidOptions& error) {
      return error.what();
    }
    return "";
  };
  const auto with = [](Hyperparameters fixed) {
    SurrogateOptions options;
    options.fixed = std::move(fixed);
    return options;
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message(with({{1.0, 1.0}, 1.0, 0.0, {}})), "");
  EXPECT_NE(message(with({{1.0}, 1.0, 0.1, {}})).find("fixed.lengthscales has 1"), std::string::npos);
  EXPECT_NE(message(with({{1.0, -1.0}, 1.0, 0.1, {}})).find("fixed.lengthscales[1]"), std::string::npos);
  EXPECT_NE(message(with({{1.0, INFINITY}, 1.0, 0.1, {}})).find("fixed.lengthscales[1]"), std::string::npos);
  EXPECT_NE(message(with({{1.0, 1.0}, 0.0, 0.1, {}})).find("fixed.signal_variance"), std::string::npos);
  EXPECT_NE(message(with({{1.0, 1.0}, 1.0, -0.1, {}})).find("fixed.noise_variance"), std::string::npos);
  EXPECT_NE(message(with({{1.0, 1.0}, 1.0, 0.1, std::nan("")})).find("fixed.mean"), std::string::npos);
  SurrogateOptions options;
  options.noise_floor = 0;
  EXPECT_NE(message(options).find("noise_floor"), std::string::npos);
  options = {};
  options.restarts = 0;
  EXPECT_NE(message(options).find("restarts"), std::string::npos);
}

TEST(CalibrationTest, MatchesTheNormalDensityByHand) {
  const LeaveOneOut left_out{{0.0, 1.0}, {1.0, 0.25}};
  const std::vector<double> targets{2.0, 1.5};
  const Calibration result = calibration(left_out, targets);
  // Standardised residuals 2 and 1: one outside ±1.96.
  EXPECT_DOUBLE_EQ(result.squared_residual, 2.5);
  EXPECT_DOUBLE_EQ(result.coverage, 0.5);
  const double two_pi = 2.0 * std::numbers::pi;
  EXPECT_NEAR(result.log_density, 0.5 * (-0.5 * std::log(two_pi) - 2.0 - 0.5 * std::log(two_pi * 0.25) - 0.5), 1e-14);
}

}  // namespace
}  // namespace carbo::internal
