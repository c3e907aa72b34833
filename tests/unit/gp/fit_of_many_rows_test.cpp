#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "gp/row_choice.hpp"
#include "unit/gp/fit_fixture.hpp"

namespace carbo::internal {
namespace {

class FitOfManyRows : public FitTest {};

INSTANTIATE_TEST_SUITE_P(Estimations, FitOfManyRows,
                         ::testing::Values(Estimation::maximum_likelihood, Estimation::map), estimation_name);

TEST_P(FitOfManyRows, ManyRowsAreSearchedOnASubsetAndPolishedOnAll) {
  const SurrogateOptions settings = options();
  Standardisation units;
  const TrainingData data = make_data(340, 2, 0.2, 8, &units);
  const std::vector<int> groups{0, 1};
  const FitProblem problem{&data, groups, &settings, std::nullopt, true};
  const FitResult result = fit(*quick_backend_, {&problem, 1}, 2).front();
  const LogPosterior posterior(problem);
  const auto [value, gradient] = evaluate(*quick_backend_, posterior, to_log_parameters(result.hyperparameters));
  for (const double entry : gradient) EXPECT_NEAR(entry, 0.0, 0.05);
  // The noise of sd 0.2 is found again within four standard errors, 4 · 0.2 / √(2 · 340) = 0.031.
  EXPECT_NEAR(std::sqrt(result.hyperparameters.noise_variance) * units.scale, 0.2, 0.031);
}

TEST_P(FitOfManyRows, ManyRowsAreFittedToWithinASmallPartOfANat) {
  const SurrogateOptions settings = options();
  const TrainingData data = make_data(most_rows_fitted_closely + 20, 2, 0.2, 8);
  const std::vector<int> groups{0, 1};
  const FitProblem first{&data, groups, &settings, std::nullopt, true};
  const FitResult cold = fit(*quick_backend_, {&first, 1}, 2).front();
  const LogPosterior posterior(first);
  // Newton steps with a curvature by differences: the optimum, by another way.
  std::vector<double> point = to_log_parameters(cold.hyperparameters);
  for (int step = 0; step < 4; ++step) {
    const auto [value, gradient] = evaluate(*quick_backend_, posterior, point);
    Eigen::MatrixXd curvature = likelihood_hessian(*quick_backend_, posterior, point);
    for (std::size_t i = 0; i < point.size(); ++i)
      curvature(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) -= posterior.prior_curvature(i);
    const Eigen::VectorXd move =
        curvature.ldlt().solve(Eigen::Map<const Eigen::VectorXd>(gradient.data(), Eigen::Index(gradient.size())));
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += move[static_cast<Eigen::Index>(i)];
  }
  const double best = evaluate(*quick_backend_, posterior, point).first;
  FitProblem next = first;
  next.warm_start = cold.hyperparameters;
  for (double& lengthscale : next.warm_start->lengthscales) lengthscale *= 1.3;
  for (const bool full : {true, false}) {
    next.full = full;
    const FitResult warm = fit(*quick_backend_, {&next, 1}, 2).front();
    for (const FitResult& result : {cold, warm}) {
      const double value = evaluate(*quick_backend_, posterior, to_log_parameters(result.hyperparameters)).first;
      EXPECT_LE(value, best + 1e-6);
      EXPECT_GT(value, best - 0.05) << full;
    }
  }
}

/// Keeps which rows likelihoods are of, by their first coordinates.
class WatchedBackend final : public GpBackend {
 public:
  explicit WatchedBackend(Backend& inner) : inner_(inner) {}
  void likelihoods(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) override {
    for (const LikelihoodRequest& request : requests) {
      std::set<double> firsts;
      for (std::size_t i = 0; i < request.points.rows; ++i) firsts.insert(request.points.row(i)[0]);
      seen[request.points.rows].insert(firsts.begin(), firsts.end());
    }
    inner_.likelihoods(requests, values);
  }
  std::vector<std::unique_ptr<GpFactor>> factor(MatrixView points, std::span<const double> targets,
                                                std::span<const GpParameters> parameters,
                                                std::span<const double> counts) override {
    return inner_.factor(points, targets, parameters, counts);
  }
  std::map<std::size_t, std::set<double>> seen;  ///< by the rows of a likelihood

 private:
  Backend& inner_;
};

/// The late ones, too, which are the best.
TEST_P(FitOfManyRows, SubsetsOfVeryManyRowsAreDrawnFromAllOfThem) {
  const SurrogateOptions settings = options();
  const TrainingData data = make_data(1500, 2, 0.2, 10);
  const std::vector<int> groups{0, 1};
  const FitProblem problem{&data, groups, &settings, std::nullopt, true};
  WatchedBackend backend(*quick_backend_);
  fit(backend, {&problem, 1}, 2);
  ASSERT_EQ(backend.seen.size(), 2u);  // of starts, and of the polish
  for (const auto& [rows, firsts] : backend.seen) {
    ASSERT_EQ(firsts.size(), rows);
    std::size_t late = 0;
    for (std::size_t row = 1024; row < 1500; ++row) late += firsts.contains(data.points[row * 2]);
    // 476 of 1,500 are late; a third of this share would be a chance of less than 10⁻⁹.
    EXPECT_GT(static_cast<double>(late), static_cast<double>(rows) * 476.0 / 1500.0 / 3.0) << rows << " rows";
  }
}

/// Of more than 1,024 rows so many that are drawn are fitted, whatever the order in which rows came.
TEST_P(FitOfManyRows, VeryManyRowsAreFittedByThoseThatAreDrawn) {
  const SurrogateOptions settings = options();
  Standardisation units;
  const TrainingData data = make_data(1300, 2, 0.2, 9, &units);
  const std::vector<int> groups{0, 1};
  const FitProblem problem{&data, groups, &settings, std::nullopt, true};
  const FitResult result = fit(*quick_backend_, {&problem, 1}, 2).front();
  const LogPosterior drawn(problem, random_rows(1300, 1024, 2));
  const std::vector<double> point = to_log_parameters(result.hyperparameters);
  const auto [value, gradient] = evaluate(*quick_backend_, drawn, point);
  std::vector<double> unused(point.size(), 0.0);
  EXPECT_NEAR(result.log_likelihood, value - drawn.add_prior(point, unused), 1e-6);
  for (const double entry : gradient) EXPECT_NEAR(entry, 0.0, 1.0);  // a nat for a factor of e
  // 4 · 0.2 / √(2 · 1024), as above.
  EXPECT_NEAR(std::sqrt(result.hyperparameters.noise_variance) * units.scale, 0.2, 0.018);
  ASSERT_TRUE(result.hyperparameters.mean);
}

}  // namespace
}  // namespace carbo::internal
