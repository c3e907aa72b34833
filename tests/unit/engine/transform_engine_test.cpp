#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <carbo/carbo.hpp>

namespace carbo {
namespace {

Space square() { return {real("x", 0.0, 1.0), real("y", 0.0, 1.0)}; }

Options small(Goal goal = Goal::minimize, std::size_t threads = 1) {
  Options options{.budget = 40.0};
  options.goal = goal;
  options.candidates.count = 256;
  options.backend = {.kind = BackendKind::cpu, .threads = threads};
  return options;
}

double bowl(const Configuration& x) { return std::hypot(x.real("x") - 0.3, x.real("y") - 0.6); }

/// Values of x and y that a study visits, and the last receipt.
template <class Objective>
std::pair<std::vector<double>, Receipt> visits(const Options& options, const Objective& objective,
                                               bool backwards = false) {
  Optimizer optimizer(square(), options);
  std::vector<double> seen;
  Receipt last;
  for (int round = 0; round < 9; ++round) {
    std::vector<Suggestion> batch = optimizer.ask(2);
    if (batch.empty()) break;
    last = batch.front().receipt;
    for (const Suggestion& one : batch)
      seen.insert(seen.end(), {one.configuration.real("x"), one.configuration.real("y")});
    if (backwards) std::reverse(batch.begin(), batch.end());
    for (const Suggestion& one : batch) optimizer.tell(one.id, {objective(one.configuration), 1.0});
  }
  return {seen, last};
}

TEST(TransformEngine, TheReceiptNamesWhatWasChosenAndWhy) {
  const auto [seen, receipt] = visits(small(), [](const Configuration& x) { return std::exp(9 * bowl(x)); });
  ASSERT_TRUE(receipt.transform);
  EXPECT_NE(*receipt.transform, Transform::automatic);
  bool named = false;
  for (const TransformScore& score : receipt.transform_scores) {
    EXPECT_TRUE(std::isfinite(score.log_score));
    named |= score.transform == *receipt.transform;
  }
  EXPECT_TRUE(named);
  Options plain = small();
  plain.transform = Transform::power;
  const Receipt given = visits(plain, bowl).second;
  EXPECT_EQ(given.transform, Transform::power);
  EXPECT_TRUE(given.transform_scores.empty());
}

TEST(TransformEngine, NoFiniteObjectiveIsRefused) {
  const std::vector<std::vector<double>> sets{
      {-1, -2, -3, 0},   {1e12, 1, 2, 3, -1e12},  {5}, {0, 0, 0, 1}, {1e300, -1e300, 0},
      {0, -0.0, 5e-324}, {1, 1, 1, 1, 1, 1, 1e12}};
  for (const Goal goal : {Goal::minimize, Goal::maximize}) {
    for (const auto& set : sets) {
      std::size_t next = 0;
      const auto [seen, receipt] =
          visits(small(goal), [&](const Configuration&) { return set[next++ % set.size()]; });
      EXPECT_EQ(seen.size(), 36u);
      ASSERT_TRUE(receipt.predicted_objective);
      EXPECT_TRUE(std::isfinite(*receipt.predicted_objective));
    }
  }
}

TEST(TransformEngine, MaximisingIsMinimisingTheNegativeToTheBit) {
  const auto value = [](const Configuration& x) { return std::exp(6 * bowl(x)) - 2; };
  const auto low = visits(small(), value);
  const auto high = visits(small(Goal::maximize), [&](const Configuration& x) { return -value(x); });
  EXPECT_EQ(low.first, high.first);
  EXPECT_EQ(low.second.transform, high.second.transform);
  EXPECT_EQ(*low.second.predicted_objective, -*high.second.predicted_objective);
}

TEST(TransformEngine, AResultIsExpectedInAnIntervalThatHasItsNoise) {
  Options options = small();
  options.transform = Transform::none;
  Optimizer optimizer(square(), options);
  for (int i = 0; i < 24; ++i) {
    const Suggestion one = optimizer.ask(1).front();
    optimizer.tell(one.id, {bowl(one.configuration) + 0.1 * std::sin(40.0 * i), 1.0});
  }
  const Receipt receipt = optimizer.ask(1).front().receipt;
  const FittedModel model = *optimizer.hyperparameters().objective;
  const double sd = *receipt.predicted_objective_sd;
  const double reach = 1.959963984540054 * model.scale * std::sqrt(sd * sd + model.hyperparameters.noise_variance);
  EXPECT_GT(model.hyperparameters.noise_variance, 1e-3);
  EXPECT_NEAR(*receipt.predicted_objective_lower, *receipt.predicted_objective - reach, 1e-9);
  EXPECT_NEAR(*receipt.predicted_objective_upper, *receipt.predicted_objective + reach, 1e-9);
  // Where the goal is to maximise all is mirrored, whatever the transform.
  const auto value = [](const Configuration& x) { return std::exp(6 * bowl(x)) - 2; };
  const Receipt low = visits(small(), value).second;
  const Receipt high = visits(small(Goal::maximize), [&](const Configuration& x) { return -value(x); }).second;
  EXPECT_EQ(*low.predicted_objective_lower, -*high.predicted_objective_upper);
  EXPECT_EQ(*low.predicted_objective_upper, -*high.predicted_objective_lower);
  EXPECT_LE(*low.predicted_objective_lower, *low.predicted_objective);
  EXPECT_GE(*low.predicted_objective_upper, *low.predicted_objective);
}

TEST(TransformEngine, NeitherTheOrderOfTellingNorThreadsMatter) {
  const auto value = [](const Configuration& x) { return std::exp(6 * bowl(x)); };
  const auto expected = visits(small(), value).first;
  EXPECT_EQ(visits(small(), value, true).first, expected);
  EXPECT_EQ(visits(small(Goal::minimize, 3), value).first, expected);
}

TEST(TransformEngine, GittinsUnitsAreTheCallers) {
  // The exchange rate is in units of the objective whatever is chosen: units twice as large and a rate twice as high
  // are the same study.
  Options options = small();
  options.acquisition = Acquisition::gittins;
  options.acquisition_parameters = {.lambda = 0.25, .lambda_decay = 1};
  const auto value = [](const Configuration& x) { return std::exp(6 * bowl(x)); };
  const auto one = visits(options, value);
  options.acquisition_parameters.lambda = 0.5;
  const auto other = visits(options, [&](const Configuration& x) { return 2 * value(x); });
  EXPECT_EQ(one.second.transform, other.second.transform);
  ASSERT_EQ(one.first.size(), other.first.size());
  for (std::size_t i = 0; i < one.first.size(); ++i) EXPECT_NEAR(one.first[i], other.first[i], 1e-6);
}

}  // namespace
}  // namespace carbo
