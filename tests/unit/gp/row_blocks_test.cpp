#include "gp/row_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "gp/log_posterior.hpp"
#include "gp/row_choice.hpp"
#include "support/backend_fixture.hpp"

namespace carbo::internal::row_blocks {
namespace {

const std::vector<int> groups{0, 1};

TEST(RowBlocks, EveryRowIsInOneBlockAndBlocksAreOfEqualSizes) {
  oracle::Uniform random(2);
  for (const std::size_t rows : {1u, 7u, 64u, 101u})
    for (const std::size_t most : {1u, 3u, 16u, 200u}) {
      const fixture::Rows points(random.points(rows, 3));
      const auto blocks = neighbour_blocks(points.view(), most);
      EXPECT_EQ(blocks.size(), (rows + most - 1) / most);
      std::vector<std::size_t> seen(rows, 0);
      for (const auto& block : blocks) {
        EXPECT_TRUE(std::ranges::is_sorted(block));
        EXPECT_LE(block.size(), most);
        EXPECT_LE(block.size(), rows / blocks.size() + 1);
        EXPECT_GE(block.size(), rows / blocks.size());
        for (const std::size_t row : block) ++seen[row];
      }
      EXPECT_EQ(seen, std::vector<std::size_t>(rows, 1));
    }
}

TEST(RowBlocks, AreNeighbours) {
  oracle::Uniform random(3);
  for (const double gap : {0.5, 3.0}) {
    oracle::Points points;
    for (std::size_t i = 0; i < 80; ++i)
      points.push_back({gap * static_cast<double>(i % 2) + 0.1 * random(), 2 * random()});
    const auto blocks = neighbour_blocks(fixture::Rows(points).view(), 40);
    const bool of_one_kind =
        std::ranges::all_of(blocks[0], [&](std::size_t row) { return row % 2 == blocks[0][0] % 2; });
    EXPECT_EQ(of_one_kind, gap > 2) << "rows are parted where they are widest apart";
  }
}

TEST(RowSample, IsFairAndAlwaysTheSame) {
  const std::vector<std::size_t> drawn = random_rows(10000, 1000, 0);
  EXPECT_EQ(drawn, random_rows(10000, 1000, 0));
  EXPECT_TRUE(std::ranges::is_sorted(drawn));
  EXPECT_EQ(std::set<std::size_t>(drawn.begin(), drawn.end()).size(), 1000u);
  // Every tenth part of the rows, in a piece or as each tenth row, has 100 in the mean, with a deviation below 10.
  for (std::size_t part = 0; part < 10; ++part) {
    EXPECT_NEAR(std::ranges::count_if(drawn, [&](std::size_t row) { return row / 1000 == part; }), 100, 40);
    EXPECT_NEAR(std::ranges::count_if(drawn, [&](std::size_t row) { return row % 10 == part; }), 100, 40);
  }
  const std::vector<std::size_t> next = random_rows(10001, 1000, 0);
  std::vector<std::size_t> common;
  std::ranges::set_intersection(drawn, next, std::back_inserter(common));
  EXPECT_GE(common.size(), 999u);
  EXPECT_EQ(random_rows(5, 5, 0), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TrainingData data_of(std::size_t rows) {
  oracle::Uniform random(rows);
  TrainingData data;
  data.columns = 2;
  data.points = oracle::flat(random.points(rows, 2));
  for (std::size_t i = 0; i < rows; ++i)
    data.targets.push_back(std::sin(5 * data.points[2 * i]) + std::cos(6 * data.points[2 * i + 1]) + 0.1 * random());
  return data;
}

double oracle_likelihood(const TrainingData& data, std::span<const std::size_t> rows, const std::vector<double>& at) {
  const oracle::Gp gp{{std::exp(at[0]), std::exp(at[1])}, std::exp(at[2]), std::exp(at[3]), 0};
  oracle::Points x;
  std::vector<double> y;
  for (const std::size_t row : rows) {
    x.push_back({data.points[2 * row], data.points[2 * row + 1]});
    y.push_back(data.targets[row]);
  }
  return static_cast<double>(oracle::Regression(gp, x, y).log_likelihood());
}

TEST(RowBlocks, TheLikelihoodIsTheProductOverBlocks) {
  const auto backend = fixture::cpu();
  const TrainingData all = data_of(50), kept = data_of(24);
  SurrogateOptions options;
  options.estimation = Estimation::maximum_likelihood;
  FitProblem problem{&kept, groups, &options, std::nullopt};
  problem.all = &all;
  const LogPosterior posterior(problem);
  const std::vector<double> at{-1.2, -0.3, 0.2, -3.0};
  EXPECT_EQ(posterior.blocks(), 3u) << "of at most 24 rows";
  std::vector<LikelihoodRequest> requests;
  for (std::size_t block = 0; block < posterior.blocks(); ++block) requests.push_back(posterior.request(at, block));
  std::vector<LikelihoodValue> values(requests.size());
  backend->likelihoods(requests, values);
  const LikelihoodValue total = posterior.total(at, values);
  const auto blocks = neighbour_blocks(all.view(), 24);
  const auto expected = [&](const std::vector<double>& point) {
    double sum = 0;
    for (const auto& block : blocks) sum += oracle_likelihood(all, block, point);
    return sum;
  };
  EXPECT_NEAR(total.log_likelihood, expected(at), 1e-10);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double step = 1e-4;
    std::vector<double> above = at, below = at;
    above[i] += step;
    below[i] -= step;
    // Central differences err by step² times a third derivative of the order of the number of rows.
    EXPECT_NEAR(total.gradient[i], (expected(above) - expected(below)) / (2 * step), 2e-6) << i;
  }
  values[1].log_likelihood = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(posterior.total(at, values).log_likelihood, -std::numeric_limits<double>::infinity());
}

/// The subset that a model keeps is no fair sample: where the function is steep there is more of it.
TEST(RowBlocks, AFitOfAllRowsInBlocksIsNearTheFitOfAll) {
  const auto backend = fixture::cpu();
  const TrainingData all = data_of(400);
  SurrogateOptions options;
  options.restarts = 2;
  const FitProblem whole{&all, groups, &options, std::nullopt};
  const TrainingData kept = rows_of(all, choose_rows(all, 130, std::vector<double>{3.0, 3.0}));
  FitProblem blocks{&kept, groups, &options, std::nullopt};
  blocks.all = &all;
  const FitProblem problems[] = {whole, blocks};
  const std::vector<FitResult> results = fit(*backend, problems, 5);
  EXPECT_TRUE(results[0].hyperparameters.mean);
  EXPECT_FALSE(results[1].hyperparameters.mean);
  const double noise = results[0].hyperparameters.noise_variance;
  EXPECT_NEAR(results[1].hyperparameters.noise_variance, noise, 0.3 * noise);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(std::log(results[1].hyperparameters.lengthscales[i]),
                std::log(results[0].hyperparameters.lengthscales[i]), std::log(2.0))
        << i;
}

}  // namespace
}  // namespace carbo::internal::row_blocks
