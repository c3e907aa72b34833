#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "backend/backend.hpp"
#include "gp/posterior_draw.hpp"
#include "support/sanitized.hpp"
#include "unit/gp/two_columns.hpp"

// Functions drawn from a posterior: their mean, variance and covariance are the posterior's.
namespace carbo::internal {
namespace {

class PosteriorDrawsTest : public testing::Test {
 protected:
  /// `copies` of four points, with these hyperparameters.
  void learn(double noise, int copies) {
    SurrogateOptions options;
    options.fixed = Hyperparameters{{0.4, 0.9}, 1.5, noise, 0.3};
    surrogate_.emplace(*backend_, options, groups);
    TrainingData data;
    data.columns = 2;
    for (int copy = 0; copy < copies; ++copy) {
      data.points.insert(data.points.end(), {0.1, 0.2, 0.5, 0.9, 0.8, 0.4, 0.3, 0.6});
      data.targets.insert(data.targets.end(), {1.0, -0.5, 0.2, -0.7});
    }
    surrogate_->prepare(std::move(data));
    surrogate_->update(std::nullopt);
  }

  /// What draws add at the points: one row a draw.
  std::vector<std::vector<double>> additions(const std::vector<double>& points, std::size_t draws) {
    PosteriorDraws drawn(*backend_, *surrogate_);
    std::vector<std::vector<double>> found;
    for (std::size_t i = 0; i < draws; ++i) {
      drawn.turn_to(11, i);
      found.emplace_back(points.size() / 2, 0.0);
      drawn.add_to({points.data(), points.size() / 2, 2}, found.back());
    }
    return found;
  }

  std::unique_ptr<Backend> backend_ = make_backend({.kind = BackendKind::cpu, .threads = 1});
  std::optional<Surrogate> surrogate_;
};

TEST_F(PosteriorDrawsTest, HaveTheMomentsOfThePosterior) {
  const std::vector<double> at{0.1, 0.2, 0.4, 0.4, 0.9, 0.9, 0.0, 1.0, 0.65, 0.65};
  for (const int copies : {1, 3}) {
    learn(0.2, copies);
    const auto found = additions(at, test::cases(2000));
    const auto draws = static_cast<double>(found.size());
    std::vector<double> mean(5), variance(5);
    surrogate_->factor().predict({at.data(), 5, 2}, mean, variance);
    for (std::size_t p = 0; p < 5; ++p) {
      double sum = 0, squares = 0;
      for (const auto& one : found) {
        sum += one[p] / draws;
        squares += one[p] * one[p] / draws;
      }
      // Four standard errors of each.
      EXPECT_NEAR(sum, 0, 4 * std::sqrt(variance[p] / draws)) << p;
      EXPECT_NEAR(squares, variance[p], 4 * variance[p] * std::sqrt(2.0 / draws)) << p;
    }
    const std::vector<double> weights{0, 1, 0, 0, 0};
    const std::vector<double> expected = surrogate_->factor().posterior_products({at.data(), 5, 2}, weights);
    double covariance = 0;
    for (const auto& one : found) covariance += one[1] * one[4] / draws;
    EXPECT_NEAR(covariance, expected[4], 4 * std::sqrt(variance[1] * variance[4] / draws));
  }
}

TEST_F(PosteriorDrawsTest, PassThroughWhatIsKnownExactly) {
  learn(1e-10, 1);
  for (const auto& one : additions({0.1, 0.2, 0.5, 0.9, 0.8, 0.4, 0.3, 0.6}, 5))
    for (const double addition : one) EXPECT_NEAR(addition, 0, 1e-3);
}

TEST_F(PosteriorDrawsTest, AreFunctionsOfSeedAndNumber) {
  learn(0.1, 1);
  EXPECT_EQ(additions({0.7, 0.7}, 3), additions({0.7, 0.7}, 3));
  const auto two = additions({0.7, 0.7}, 2);
  EXPECT_NE(two[0], two[1]);
}

}  // namespace
}  // namespace carbo::internal
