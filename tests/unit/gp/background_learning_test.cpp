#include "gp/background.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/backend_fixture.hpp"

namespace carbo::internal::background_learning {
namespace {

/// A GP of the first rows; the others are left out of it.
struct Scene {
  explicit Scene(double noise, std::uint64_t seed = 3) : random(seed), gp(fixture::some_gp(2, noise)) {
    x = random.points(100, 2);
    for (const auto& point : x) y.push_back(std::sin(9 * point[0]) + point[1] + 0.4 * (random() - 0.5));
    at = random.points(60, 2);
    left_out.columns = 2;
    const oracle::Points others(x.begin() + kept, x.end());
    left_out.points = oracle::flat(others);
    left_out.targets.assign(y.begin() + kept, y.end());
  }

  std::unique_ptr<GpFactor> factor(Backend& backend) const {
    return fixture::factor(backend, gp, {x.begin(), x.begin() + kept}, {y.begin(), y.begin() + kept});
  }
  std::vector<double> means(const GpFactor& factor) const {
    std::vector<double> means(at.size()), variances(at.size());
    factor.predict(fixture::Rows(at).view(), means, variances);
    return means;
  }
  /// Root mean square of what they differ by from the GP of all rows, each as often as it counts.
  double difference(const std::vector<double>& means) const {
    oracle::Points all = x;
    std::vector<double> targets = y;
    for (std::size_t i = 0; i < left_out.counts.size(); ++i)
      for (int copy = 1; copy < static_cast<int>(left_out.counts[i]); ++copy) {
        all.push_back(x[kept + i]);
        targets.push_back(y[kept + i]);
      }
    const oracle::Regression regression(gp, all, targets);
    double squares = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
      squares += std::pow(means[i] - static_cast<double>(regression.at(at[i]).mean), 2);
    return std::sqrt(squares / static_cast<double>(at.size()));
  }

  static constexpr std::size_t kept = 35;
  oracle::Uniform random;
  oracle::Gp gp;
  oracle::Points x, at;
  std::vector<double> y;
  TrainingData left_out;
};

TEST(BackgroundLearning, TheMeanBecomesThatOfAllRows) {
  const auto backend = fixture::cpu();
  for (const double noise : {1e-6, 1e-3, 0.1}) {
    const Scene scene(noise);
    const auto factor = scene.factor(*backend);
    const double before = scene.difference(scene.means(*factor));
    learn_background(*factor, scene.left_out, {});
    EXPECT_LT(scene.difference(scene.means(*factor)), 0.05 * before) << noise;
    EXPECT_GT(before, 0.01);
  }
}

TEST(BackgroundLearning, ARowCountsAsOftenAsItWasObserved) {
  const auto backend = fixture::cpu();
  Scene scene(0.1);
  for (std::size_t i = 0; i < scene.left_out.size(); ++i) scene.left_out.counts.push_back(i % 3 == 0 ? 6 : 1);
  const auto factor = scene.factor(*backend);
  const double before = scene.difference(scene.means(*factor));
  learn_background(*factor, scene.left_out, {});
  EXPECT_LT(scene.difference(scene.means(*factor)), 0.02 * before);
}

TEST(BackgroundLearning, GoesOnFromWeightsThatHelpAndPassesOthersOver) {
  const auto backend = fixture::cpu();
  const Scene scene(0.01);
  const auto factor = scene.factor(*backend);
  const double before = scene.difference(scene.means(*factor));
  const std::vector<double> weights = learn_background(*factor, scene.left_out, {});
  const std::vector<double> means = scene.means(*factor);
  EXPECT_EQ(learn_background(*factor, scene.left_out, weights), weights) << "there is nothing left to learn";
  EXPECT_EQ(scene.means(*factor), means);
  std::vector<double> wrong = weights;
  for (double& one : wrong) one *= -1000;
  EXPECT_EQ(learn_background(*factor, scene.left_out, wrong), weights) << "worse than none";
  EXPECT_EQ(scene.means(*factor), means);
  EXPECT_LT(scene.difference(means), 0.05 * before);
}

/// Without noise; copies of the kept rows are left out, their targets moved up and down in turn.
Scene with_copies_left_out(double moved) {
  Scene scene(0);
  scene.left_out.points.clear();
  scene.left_out.targets.clear();
  for (std::size_t i = 0; i < Scene::kept; ++i) {
    scene.left_out.points.insert(scene.left_out.points.end(), scene.x[i].begin(), scene.x[i].end());
    scene.left_out.targets.push_back(scene.y[i] + (i % 2 == 0 ? moved : -moved));
  }
  return scene;
}

/// Copies of kept rows and no noise: what is left of the covariance is rounding and jitter alone.
TEST(BackgroundLearning, RowsThatAddNothingDoNoHarm) {
  const auto backend = fixture::cpu();
  const Scene scene = with_copies_left_out(0);
  const auto factor = scene.factor(*backend);
  const std::vector<double> before = scene.means(*factor);
  learn_background(*factor, scene.left_out, {});
  const std::vector<double> after = scene.means(*factor);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-4) << i;
}

/// The same points with other values, without noise: nothing that a GP could follow, and no weights made of rounding.
TEST(BackgroundLearning, RowsThatContradictWhatIsKeptDoNoHarm) {
  const auto backend = fixture::cpu();
  const Scene scene = with_copies_left_out(0.1);
  const auto factor = scene.factor(*backend);
  const std::vector<double> before = scene.means(*factor);
  for (const double weight : learn_background(*factor, scene.left_out, {})) EXPECT_LT(std::abs(weight), 1e6);
  const std::vector<double> after = scene.means(*factor);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-2) << i;
}

}  // namespace
}  // namespace carbo::internal::background_learning
