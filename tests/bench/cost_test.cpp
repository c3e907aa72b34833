#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cost/contenders.hpp"
#include "bench/cost/dataset.hpp"
#include "bench/cost/mlp.hpp"
#include "bench/cost/rmse.hpp"
#include "bench/cost/timings.hpp"
#include "replay/replay_support.hpp"
#include "space/candidates.hpp"
#include "support/expect_error.hpp"

namespace {

using namespace carbo::cost_bench;

/// A file of the test that runs, removed with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) /
              (std::string("carbo_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(CostBenchTimings, StoredTablesLieInsideTheSpace) {
  ASSERT_EQ(data_sources().size(), 4u);
  for (const DataSource& source : data_sources()) {
    const carbo::replay::Table table = read_timings(CARBO_COST_DATA, source);
    ASSERT_EQ(table.rows(), table_rows) << source.name;
    ASSERT_EQ(table.objective.size(), table_rows);
    ASSERT_EQ(table.cost.size(), table_rows);
    std::set<std::vector<double>> distinct;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::vector<double> numbers(table.row(row).begin(), table.row(row).end());
      ASSERT_EQ(numbers.size(), 6u);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(numbers[i] >= 10 && numbers[i] <= 300 && numbers[i] == std::floor(numbers[i])) << row;
      }
      EXPECT_TRUE(numbers[4] >= 1e-4 && numbers[4] <= 1e-1) << row;
      EXPECT_TRUE(numbers[5] >= 1e-6 && numbers[5] <= 1e-1) << row;
      EXPECT_TRUE(table.objective[row] >= 0 && table.objective[row] <= 1) << row;
      EXPECT_TRUE(table.cost[row] > 0 && table.cost[row] < 60) << row;
      distinct.insert(numbers);
    }
    EXPECT_EQ(distinct.size(), table_rows) << source.name;
  }
}

TEST(CostBenchTimings, RefusesRowsThatCannotBe) {
  const std::string header = "units1,units2,units3,units4,learning_rate,weight_decay,error,seconds\n";
  const auto read = [&](const std::string& row) {
    const TemporaryFile file(header + "10,20,30,40,0.001,0.0001,0.2,0.1\n" + row + "\n");
    return read_timings(file.path()).rows();
  };
  EXPECT_EQ(read("11,20,30,40,0.001,0.0001,0.3,2"), 2u);
  const auto refused = [&](const std::string& row, const std::string& part) {
    carbo::expect_error<std::runtime_error>([&] { read(row); }, {".txt:3:", part});
  };
  refused("9,20,30,40,0.001,0.0001,0.2,0.1", "");
  refused("11,20,30,40,0.001,0.0001,1.2,0.1", "column 'error'");
  refused("11,20,30,40,0.001,0.0001,0.2,0", "seconds");
  refused("11,20,30,40,0.001,0.0001,0.2,nan", "seconds");
  EXPECT_THROW(read_timings("no such file"), std::runtime_error);
  EXPECT_THROW(data_source("mnist"), std::invalid_argument);
}

TEST(CostBenchData, ReadsSparseRows) {
  const TemporaryFile file("+1 1:2 3:-0.5\n\n-1 \r\n1 2:1e-1\n");
  const Dataset set = read_libsvm(file.path(), 3);
  EXPECT_EQ(set.labels, (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(set.values, (std::vector<float>{2, 0, -0.5F, 0, 0, 0, 0, 0.1F, 0}));
  EXPECT_THROW(read_libsvm("no such file", 3), std::runtime_error);
}

TEST(CostBenchData, NamesTheLineAtFault) {
  const auto refused = [](const std::string& text, const std::string& part) {
    const TemporaryFile file(text);
    carbo::expect_error<std::runtime_error>([&] { read_libsvm(file.path(), 3); }, {part});
  };
  refused("1 1:1\n1 4:1\n", "line 2: index 4");
  refused("1 0:1\n", "line 1: index 0");
  refused("1 2:1 2:1\n", "line 1: index 2");
  refused("1 2\n", "'2' is not index:value");
  refused("yes 1:1\n", "'yes' is not a number");
  refused("\n", "no rows");
}

TEST(CostBenchData, SpreadsRowsAndScalesFeatures) {
  Dataset train{.features = 2, .values = {1, 5, 3, 5, 2, 5}, .labels = {0, 1, 0}};
  Dataset validation{.features = 2, .values = {4, 7}, .labels = {1}};
  scale_features(train, validation);
  EXPECT_EQ(train.values, (std::vector<float>{0, 0, 1, 0, 0.5F, 0}));
  EXPECT_EQ(validation.values, (std::vector<float>{1.5F, 0}));
  Dataset seven{.features = 1, .values = {0, 1, 2, 3, 4, 5, 6}, .labels = {0, 0, 0, 1, 1, 1, 1}};
  const Dataset three = spread_rows(seven, 3);
  EXPECT_EQ(three.values, (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(three.labels, (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(spread_rows(seven, 7).values, seven.values);
  EXPECT_EQ(spread_rows(seven, 100).values, seven.values);
}

TEST(CostBenchMlp, GradientAgreesWithDifferences) {
  Mlp<double> net({5, 7, 6, 4}, 3);
  const auto draw = [](Eigen::Index i) { return std::sin(12.9898 * static_cast<double>(i + 1)); };
  const Mlp<double>::Matrix inputs =
      Mlp<double>::Matrix::NullaryExpr(5, 9, [&](auto r, auto c) { return draw(r + 5 * c); });
  const Mlp<double>::Vector labels =
      Mlp<double>::Vector::NullaryExpr(9, [](auto i) { return static_cast<double>(i % 2); });
  net.parameters().tail(1)[0] = 0.3;
  net.loss_and_gradient(inputs, labels, 0.05);
  const Mlp<double>::Vector gradient = net.gradient();
  ASSERT_EQ(gradient.size(), 6 * 7 + 8 * 6 + 7 * 4 + 5);
  EXPECT_GT(gradient.norm(), 0.01);
  for (Eigen::Index i = 0; i < gradient.size(); ++i) {
    // Central differences: truncation of h² = 1e-10 times a third derivative of order 1, rounding of ε/h = 2e-11.
    constexpr double h = 1e-5;
    const double kept = net.parameters()[i];
    net.parameters()[i] = kept + h;
    const double above = net.loss_and_gradient(inputs, labels, 0.05);
    net.parameters()[i] = kept - h;
    const double below = net.loss_and_gradient(inputs, labels, 0.05);
    net.parameters()[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-8) << i;
  }
}

TEST(CostBenchMlp, LossIsThatOfTheLogits) {
  Mlp<double> net({2, 3}, 1);
  Mlp<double>::Matrix inputs(2, 3);
  inputs << 1, -2, 0.5, 3, 1, -1;
  Mlp<double>::Vector labels(3);
  labels << 1, 0, 1;
  const auto logits = net.logits(inputs);
  double expected = 0;
  for (int i = 0; i < 3; ++i) {
    const double probability = 1 / (1 + std::exp(-logits[i]));
    expected -= std::log(labels[i] > 0 ? probability : 1 - probability) / 3;
  }
  EXPECT_NEAR(net.loss_and_gradient(inputs, labels, 0), expected, 1e-14);
  EXPECT_THROW(Mlp<double>({2, 0}, 1), std::invalid_argument);
}

/// Two clouds on either side of a plane, with a gap between them.
Dataset separable(std::size_t rows, std::uint64_t seed) {
  Dataset set{.features = 4};
  for (std::size_t i = 0; i < rows; ++i) {
    const float side = i % 2 == 0 ? 1.0F : -1.0F;
    for (std::size_t f = 0; f < 4; ++f) {
      const double wave = std::sin(78.233 * static_cast<double>(seed + 4 * i + f + 1));
      set.values.push_back(static_cast<float>(wave) + (f == 0 ? 1.5F * side : 0.0F));
    }
    set.labels.push_back(side > 0 ? 1.0F : 0.0F);
  }
  return set;
}

TEST(CostBenchMlp, LearnsASeparableSet) {
  const Dataset training = separable(450, 0), validation = separable(300, 10000);
  const Training settings{.units = {16, 12}, .learning_rate = 1e-2, .weight_decay = 1e-5, .epochs = 15, .seed = 5};
  const Trained trained = train(training, validation, settings);
  EXPECT_LT(trained.error, 0.05);
  EXPECT_GT(trained.seconds, 0);
  EXPECT_EQ(train(training, validation, settings).error, trained.error);
  Training untrained = settings;
  untrained.epochs = 0;
  untrained.seed = 1;
  EXPECT_GT(train(training, validation, untrained).error, 0.1);
  untrained.batch = 0;
  EXPECT_THROW(train(training, validation, untrained), std::invalid_argument);
}

TEST(CostBenchRmse, IsTheRootOfTheMeanSquare) {
  const std::vector<double> logs = {0.0, 1.0}, costs = {1.0, std::exp(3.0)};
  EXPECT_NEAR(root_mean_square_error(logs, costs), std::sqrt(2.0), 1e-15);
  EXPECT_THROW(root_mean_square_error({}, {}), std::invalid_argument);
  EXPECT_THROW(root_mean_square_error(logs, std::vector<double>{1.0}), std::invalid_argument);
}

TEST(CostBenchRmse, RandomOrdersArePermutations) {
  std::vector<std::size_t> order = random_order(50, 1);
  EXPECT_EQ(order, random_order(50, 1));
  EXPECT_NE(order, random_order(50, 2));
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> all(50);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
  EXPECT_TRUE(random_order(0, 1).empty());
}

/// Costs that are exactly linear in the paper's features; the error falls with the learning rate.
carbo::replay::Table linear_table(std::size_t rows, std::size_t inputs) {
  carbo::replay::Table table{.space = mlp_space()};
  for (std::size_t i = 0; i < rows; ++i) {
    const auto x = carbo::internal::uniform_draw(mlp_space(), 3, i).value();
    const double products = static_cast<double>(inputs) * x[0] + x[0] * x[1] + x[1] * x[2] + x[2] * x[3] + x[3];
    const double activations = static_cast<double>(inputs) + x[0] + x[1] + x[2] + x[3] + 1;
    table.numbers.insert(table.numbers.end(), x.begin(), x.end());
    table.objective.push_back(0.1 + 0.05 * std::abs(std::log10(x[4]) + 2.5));
    table.cost.push_back(2e-6 * products + 1e-5 * activations + 0.01);
  }
  return table;
}

TEST(CostBenchRmse, LinearModelLearnsALinearCost) {
  const DataSource source = data_source("splice");
  const carbo::replay::Table table = linear_table(60, source.features);
  const std::vector<std::size_t> order = random_order(60, 1);
  const std::span<const std::size_t> rows = order;
  const auto error = [&](carbo::CostModelKind kind, std::size_t taught) {
    return held_out_error(table, source, kind, rows.subspan(20, taught), rows.first(20), 1);
  };
  // Three coefficients, no noise: 15 observations leave what the stop of the reweighted fit leaves.
  EXPECT_LT(error(carbo::CostModelKind::linear, 15), 1e-3);
  EXPECT_LT(error(carbo::CostModelKind::linear_mean_gp, 15), 1e-2);
  EXPECT_LT(error(carbo::CostModelKind::linear, 15), error(carbo::CostModelKind::log_gp, 15));
}

TEST(CostBenchRmse, CurvesHaveAQuartileForEveryNumber) {
  const DataSource source = data_source("splice");
  const RmseSettings settings{.observations = {5, 8}, .held_out = 10, .repeats = 3};
  const auto curves = error_curves(linear_table(20, source.features), source, settings);
  ASSERT_EQ(curves.size(), compared_models().size());
  for (const ErrorCurve& curve : curves)
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LE(curve.lower.at(i), curve.middle.at(i));
      EXPECT_LE(curve.middle.at(i), curve.upper.at(i));
      EXPECT_TRUE(std::isfinite(curve.upper.at(i)));
    }
  EXPECT_THROW(error_curves(linear_table(14, source.features), source, settings), std::invalid_argument);
}

using CostBenchReplay = carbo::replay::ReplayFolder;

TEST_F(CostBenchReplay, ComparesEveryModelWithTheWarpedGp) {
  const DataSource source = data_source("splice");
  const carbo::replay::Problem problem = timing_problem(source, linear_table(40, source.features));
  carbo::replay::RunStore store(path);
  const auto summaries = run_contenders(problem, {.seeds = 3, .budget = 8}, store);
  const auto contenders = all_contenders();
  ASSERT_EQ(contenders.size(), 9u);
  ASSERT_EQ(summaries.size(), contenders.size());
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    EXPECT_EQ(summaries[c].curves.traces.size(), 3u);
    EXPECT_GE(summaries[c].curves.evaluations, 5);
    const bool reference = contenders[c].model.kind == carbo::CostModelKind::log_gp;
    EXPECT_EQ(summaries[c].saving.has_value(), !reference);
    if (!reference) {
      EXPECT_LE(summaries[c].saving->low, summaries[c].saving->high);
      EXPECT_LE(std::abs(summaries[c].saving->share), 1);
    }
  }
}

}  // namespace
