#include "gp/row_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <carbo/carbo.hpp>

#include "gp/surrogate.hpp"
#include "support/backend_fixture.hpp"
#include "support/expect_error.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"
#include "unit/gp/two_columns.hpp"

namespace carbo::internal {
namespace {

/// Targets about standardised.
TrainingData data_of(std::size_t rows, std::size_t columns = 2, std::uint64_t seed = 4) {
  oracle::Uniform uniform(seed);
  TrainingData data;
  data.columns = columns;
  data.points = oracle::flat(uniform.points(rows, columns));
  for (std::size_t i = 0; i < rows; ++i)
    data.targets.push_back(1.6 * std::sin(7 * data.points[i * columns]) + data.points[(i + 1) * columns - 1] - 0.7);
  return data;
}

/// The same choice, every distance anew.
std::vector<std::size_t> plain_choice(const TrainingData& data, std::size_t count,
                                      const std::vector<double>& inverse) {
  std::vector<std::size_t> chosen;
  const auto is_chosen = [&](std::size_t row) { return std::ranges::count(chosen, row) > 0; };
  while (chosen.size() < count / 10) {
    std::size_t lowest = data.size();
    for (std::size_t i = 0; i < data.size(); ++i)
      if (!is_chosen(i) && (lowest == data.size() || data.targets[i] < data.targets[lowest])) lowest = i;
    chosen.push_back(lowest);
  }
  for (std::size_t i = data.size(); chosen.size() < 2 * (count / 10); --i)
    if (!is_chosen(i - 1)) chosen.push_back(i - 1);
  while (chosen.size() < count) {
    std::size_t farthest = data.size();
    double most = -1;
    for (std::size_t i = 0; i < data.size(); ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const std::size_t other : chosen) {
        double squared = std::pow(data.targets[i] - data.targets[other], 2);
        for (std::size_t c = 0; c < data.columns; ++c)
          squared += std::pow((data.view().row(i)[c] - data.view().row(other)[c]) * inverse[c], 2);
        nearest = std::min(nearest, squared);
      }
      if (!is_chosen(i) && nearest > most) {
        farthest = i;
        most = nearest;
      }
    }
    chosen.push_back(farthest);
  }
  std::ranges::sort(chosen);
  return chosen;
}

TEST(RowChoice, IsTheLowestTheLatestAndTheFarthestOfTheOthers) {
  for (const std::size_t count : {5u, 40u, 89u}) {
    const TrainingData data = data_of(90, 3);
    const std::vector<double> inverse{2.0, 0.5, 1.0};
    const std::vector<std::size_t> chosen = choose_rows(data, count, inverse);
    EXPECT_EQ(chosen, plain_choice(data, count, inverse)) << count;
  }
}

SurrogateOptions at_most(std::size_t points) {
  SurrogateOptions options;
  options.max_points = points;
  options.fixed = Hyperparameters{{0.3, 0.8}, 1.1, 1e-3, 0.0};
  return options;
}

void update(Surrogate& surrogate, TrainingData data) {
  surrogate.prepare(std::move(data));
  surrogate.update(std::nullopt);
}

TEST(RowChoice, ASurrogateLearnsFromNoMoreThanItMay) {
  const auto backend = fixture::cpu();
  Surrogate surrogate(*backend, at_most(64), groups);
  update(surrogate, data_of(64));
  EXPECT_EQ(surrogate.factor().observed(), 64u);
  EXPECT_TRUE(surrogate.left_out());
  for (std::size_t rows = 200; rows < 215; ++rows) {
    const GpFactor* const before = &surrogate.factor();
    const std::size_t observed = before->observed();
    update(surrogate, data_of(rows));
    EXPECT_EQ(surrogate.points().known, rows);
    EXPECT_EQ(surrogate.points().used, surrogate.factor().observed());
    // Four are spare: a choice takes up the next ones, then another one is made.
    EXPECT_EQ(surrogate.factor().observed(), 60 + rows % 5);
    EXPECT_EQ(&surrogate.factor() == before, observed < 64) << rows;
    // The latest is always there: its own target is what is predicted there, but for the noise.
    const TrainingData data = data_of(rows);
    double mean = 0, variance = 0;
    surrogate.factor().predict({data.points.data() + 2 * (rows - 1), 1, 2}, {&mean, 1}, {&variance, 1});
    EXPECT_NEAR(mean, data.targets.back(), 0.05);
    EXPECT_LT(variance, 2e-3);
  }
  EXPECT_TRUE(surrogate.calibration());
  EXPECT_FALSE(surrogate.left_out()) << "rows that were not learned from are not left out";
  surrogate.limit_points(30);
  update(surrogate, data_of(215));
  EXPECT_EQ(surrogate.factor().observed(), 29u);
  surrogate.limit_points(1000);
  update(surrogate, data_of(40));
  EXPECT_EQ(surrogate.factor().observed(), 40u);
}

/// Predictions after an update to 230 rows; `disturbed`: after one that was taken back.
std::vector<double> predictions_after_update(Backend& backend, bool disturbed) {
  SurrogateOptions options;
  options.max_points = 64;
  options.restarts = 1;
  Surrogate surrogate(backend, options, groups);
  const auto learn = [&](std::size_t rows) {
    const FitProblem* const problem = surrogate.prepare(data_of(rows));
    surrogate.update(problem ? std::optional(fit(backend, {problem, 1}, 7).front()) : std::nullopt);
  };
  learn(200);
  learn(202);
  if (disturbed) {
    Surrogate::Standing standing = surrogate.standing();
    learn(230);
    surrogate.stand_as(std::move(standing));
  }
  learn(230);
  const TrainingData at = data_of(20, 2, 9);
  std::vector<double> means(20), variances(20);
  surrogate.factor().predict(at.view(), means, variances);
  means.insert(means.end(), variances.begin(), variances.end());
  return means;
}

TEST(RowChoice, AnUpdateThatIsTakenBackLeavesTheChoiceAsItWas) {
  const auto backend = fixture::cpu();
  EXPECT_EQ(predictions_after_update(*backend, true), predictions_after_update(*backend, false));
}

TEST(RowChoice, UpToTheLimitNothingChanges) {
  const auto backend = fixture::cpu();
  std::vector<double> found[2];
  for (const std::size_t limit : {150u, 4000u}) {
    Surrogate surrogate(*backend, at_most(limit), groups);
    update(surrogate, data_of(149));
    update(surrogate, data_of(150));
    std::vector<double>& means = found[limit == 150 ? 0 : 1];
    means.resize(20);
    std::vector<double> variances(20);
    const TrainingData at = data_of(20, 2, 9);
    surrogate.factor().predict(at.view(), means, variances);
    means.insert(means.end(), variances.begin(), variances.end());
  }
  EXPECT_EQ(found[0], found[1]);
}

/// Functions with noise of a tenth of their deviation, near enough.
struct NoisyFunction {
  const char* name;
  double (*value)(double x, double y);
  double lengthscale;
  double most;  ///< held-out error of a third of the rows, over that of all
};
const NoisyFunction noisy_functions[] = {
    {"smooth", [](double x, double y) { return 1.6 * std::sin(7 * x) + y - 0.7; }, 0.4, 1.02},
    {"steep in one place", [](double x, double y) { return 1.3 * std::tanh(12 * (x - y)); }, 0.25, 1.02},
    // All rows lie just close enough to follow it; a third of them alone does not.
    {"rough", [](double x, double y) { return 2 * std::sin(21 * x) * std::cos(17 * y); }, 0.14, 1.02},
    {"too rough for all rows", [](double x, double y) { return 2 * std::sin(131 * x) * std::cos(123 * y); }, 0.02,
     1.02},
};

TrainingData noisy_data(const NoisyFunction& function, std::size_t rows, std::uint64_t seed) {
  TrainingData data = data_of(rows, 2, seed);
  oracle::Uniform uniform(seed + 1);
  for (std::size_t i = 0; i < rows; ++i)
    data.targets[i] = function.value(data.points[2 * i], data.points[2 * i + 1]) + 0.35 * (uniform() - 0.5);
  return data;
}

double held_out_error(const NoisyFunction& function, std::size_t limit, std::uint64_t seed) {
  const auto backend = fixture::cpu();
  SurrogateOptions options = at_most(limit);
  options.fixed = Hyperparameters{{function.lengthscale, function.lengthscale}, 1.0, 0.01, 0.0};
  Surrogate surrogate(*backend, options, groups);
  update(surrogate, noisy_data(function, 600, seed));
  const TrainingData at = noisy_data(function, 500, seed + 50);
  std::vector<double> means(500), variances(500);
  surrogate.factor().predict(at.view(), means, variances);
  double squares = 0;
  for (std::size_t i = 0; i < 500; ++i) squares += std::pow(means[i] - at.targets[i], 2);
  return std::sqrt(squares / 500);
}

/// bench_subset_error does so for 1,000 of 3,000 points of nine functions.
TEST(RowChoice, AThirdOfTheRowsPredictsNearlyAsWellAsAll) {
  for (const NoisyFunction& function : noisy_functions)
    for (const std::uint64_t seed : {3u, 4u}) {
      if (test::sanitized && seed == 4) continue;
      const double all = held_out_error(function, 4000, seed), part = held_out_error(function, 213, seed);
      EXPECT_LT(part, function.most * all) << function.name << ", " << seed;
    }
}

Options study_options(std::size_t max_points) {
  Options options = test::small_options(1e6);
  options.surrogate.max_points = options.cost.surrogate.max_points = max_points;
  options.initial_design = InitialDesign::uniform;
  options.design.warm_start = 0;
  options.backend.kind = BackendKind::cpu;
  return options;
}

void tell_points(Optimizer& optimizer, std::size_t count, std::size_t copies = 1) {
  oracle::Uniform uniform(21);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> numbers{uniform(), uniform()};
    const Configuration point = optimizer.space().configuration(numbers);
    for (std::size_t copy = 0; copy < copies; ++copy) optimizer.tell(point, test::valley(point));
  }
}

TEST(RowChoice, TwentyThousandPointsFitWhatMemoryIsGiven) {
  Options options = study_options(4000);
  options.backend.memory_bytes = std::size_t{24} << 20;
  Optimizer optimizer(test::valley_space(), options);
  tell_points(optimizer, 20000);
  const MemoryPlan plan = optimizer.memory_plan();
  EXPECT_EQ(plan.points, 20000u);
  EXPECT_LT(plan.model_points, 400u);
  EXPECT_LE(plan.total_bytes(), options.backend.memory_bytes);
  EXPECT_NE(plan.describe().find("20000 points observed; models keep"), std::string::npos) << plan.describe();
  const std::vector<Suggestion> suggested = optimizer.ask(2);
  ASSERT_EQ(suggested.size(), 2u);
  for (const Suggestion& one : suggested) {
    EXPECT_EQ(one.receipt.objective_points.known, 20000u);
    EXPECT_EQ(one.receipt.cost_points.known, 20000u);
    EXPECT_GE(one.receipt.objective_points.used, 64u);
    EXPECT_LE(one.receipt.objective_points.used, plan.model_points);
    EXPECT_LE(one.receipt.cost_points.used, plan.model_points);
    EXPECT_TRUE(one.receipt.objective_calibration);
  }
}

TEST(RowChoice, CopiesOfAPointTakeNoRoomInAModel) {
  Optimizer optimizer(test::valley_space(), study_options(4000));
  tell_points(optimizer, 30, 100);
  EXPECT_EQ(optimizer.memory_plan().points, 30u);
  const std::vector<Suggestion> suggested = optimizer.ask(1);
  ASSERT_EQ(suggested.size(), 1u);
  EXPECT_EQ(suggested[0].receipt.objective_points.used, 30u);
  EXPECT_EQ(suggested[0].receipt.objective_points.known, 30u);
}

TEST(RowChoice, TimeoutsAreLearnedWithinTheLimit) {
  Optimizer optimizer(test::valley_space(), study_options(64));
  tell_points(optimizer, 150);
  oracle::Uniform uniform(5);
  for (int i = 0; i < 40; ++i) {
    const std::vector<double> numbers{0.9 + 0.1 * uniform(), uniform()};
    optimizer.fail(optimizer.space().configuration(numbers), 30.0, "too slow", true, Origin::prior);
  }
  const std::vector<Suggestion> suggested = optimizer.ask(1);
  ASSERT_EQ(suggested.size(), 1u);
  EXPECT_EQ(suggested[0].receipt.cost_points.known, 150u);
  EXPECT_LE(suggested[0].receipt.cost_points.used, 64u);
  EXPECT_EQ(suggested[0].receipt.objective_points.known, 190u) << "failures are penalised";
}

TEST(RowChoice, ALimitBelow64IsRefused) {
  expect_error<InvalidOptions>([&] { Optimizer(test::valley_space(), study_options(63)); },
                               {"surrogate.max_points is 63", "at least 64"});
}

}  // namespace
}  // namespace carbo::internal
