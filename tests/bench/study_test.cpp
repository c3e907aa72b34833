#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "bench/study/analysis.hpp"
#include "bench/study/command_line.hpp"
#include "bench/study/curves.hpp"
#include "bench/study/functions.hpp"
#include "bench/study/problem.hpp"
#include "bench/study/run.hpp"
#include "bench/study/store.hpp"
#include "bench/support/csv.hpp"
#include "bench/support/statistics.hpp"
#include "support/not_finite.hpp"

namespace carbo::study {
namespace {

namespace bench = carbo::bench;

using carbo::test::infinity;

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path = std::filesystem::temp_directory_path() /
           (std::string("carbo_study_") + info->name() + "_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(path);
  }
  void TearDown() override { std::filesystem::remove_all(path); }

  std::filesystem::path path;
};

using StudyCsv = Folder;
using StudyStore = Folder;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(StudySavings, AheadCountsFromWhereTheRivalsEndIsReached) {
  // Budget in ten steps. The rival ends at 2; ours is at 2 or below from point 4 on: 60 % saved.
  const std::vector<double> rival = {9, 9, 8, 7, 6, 5, 4, 4, 3, 2, 2};
  const std::vector<double> ours = {9, 8, 6, 3, 2, 2, 1, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(savings(ours, rival), 0.6);
  // The other way round: the rival's rival passes 2 at point 4, so the loss has the same size.
  EXPECT_DOUBLE_EQ(savings(rival, ours), -0.6);
}

TEST(StudySavings, CurvesThatEndEqualAreComparedByWhenTheyGotThere) {
  const std::vector<double> curve = {5, 4, 3, 2, 1};
  EXPECT_EQ(savings(curve, curve), 0);
  const std::vector<double> early = {5, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(savings(early, curve), 0.75);
  EXPECT_DOUBLE_EQ(savings(curve, early), -0.75);
  EXPECT_EQ(savings(early, early), 0);
}

TEST(StudySavings, OverShootingTheTargetBetweenPointsCountsAtTheLaterPoint) {
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{9, 9, 1}, std::vector<double>{9, 5, 5}), 0.0);
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{9, 1, 1}, std::vector<double>{9, 9, 5}), 0.5);
}

TEST(StudySavings, NothingFinishedIsNotReached) {
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{infinity, infinity, 3}, std::vector<double>{infinity, 5, 5}), 0.0);
  EXPECT_DOUBLE_EQ(savings(std::vector<double>{infinity, 3, 3}, std::vector<double>(3, infinity)), 0.5);
  EXPECT_DOUBLE_EQ(savings(std::vector<double>(3, infinity), std::vector<double>(3, infinity)), 0.0);
  EXPECT_THROW(savings(std::vector<double>{1, 1}, std::vector<double>{1, 1, 1}), std::invalid_argument);
}

TEST(StudySavings, TheNextBestEndsLowestAndGotThereFirst) {
  EXPECT_EQ(best_final({{9, 3, 3}, {9, 9, 2}, {9, 4, 4}}), 1u);
  EXPECT_EQ(best_final({{9, 9, 2}, {9, 2, 2}}), 1u);
  EXPECT_EQ(best_final({{9, 2, 2}, {9, 2, 2}}), 0u);
}

TEST(StudySavings, EstimateUsesMediansOverSeeds) {
  // Medians: ours {9, 1, 1}, first rival {9, 7, 5}, second rival {9, 9, 6}.
  const Traces ours = {{9, 1, 1}, {9, 0, 0}, {9, 8, 8}};
  const Traces first = {{9, 7, 5}, {9, 7, 5}, {9, 7, 5}};
  const Traces second = {{9, 9, 6}, {9, 9, 0}, {9, 9, 9}};
  const SavingsEstimate estimate = estimate_savings(ours, {second, first});
  EXPECT_EQ(estimate.rival, 1u);
  EXPECT_DOUBLE_EQ(estimate.share, 0.5);
  EXPECT_LE(estimate.low, estimate.share);
  EXPECT_GE(estimate.high, estimate.share);
  // A resample of three that holds the third row twice has the median 8 and loses half the budget: 7 of 27 do.
  EXPECT_DOUBLE_EQ(estimate.low, -0.5);
  EXPECT_DOUBLE_EQ(estimate.high, 0.5);
}

StudyRun hand_made_run() {
  StudyRun run{.key = {"p", "m", 3, 1, 64, 10.0}, .steps = {}, .spent = 11, .seconds = 0.5};
  run.steps = {{carbo::Phase::warm_start, 0, 4, 4, 1.5, 1.0, 1.0},
               {carbo::Phase::design, 0, 1, 5, 1.25, 0.75, 0.75},
               {carbo::Phase::search, 0.5, 6, 11, 0.1, 0.01, 0.01}};
  return run;
}

TEST(StudyTrace, OnlyWhatFinishedCounts) {
  const StudyRun run = hand_made_run();
  EXPECT_EQ(incumbent_regret_at(run, 3.9), infinity);
  EXPECT_EQ(incumbent_regret_at(run, 4.0), 1.0);
  EXPECT_EQ(incumbent_regret_at(run, 10.0), 0.75);
  EXPECT_EQ(incumbent_regret_at(run, 11.0), 0.01);
  EXPECT_EQ(evaluations_within(run, 10.0), 2u);
  const StudyRun* pointer = &run;
  const Traces traces = sample_traces(std::span(&pointer, 1));
  ASSERT_EQ(traces.front().size(), grid_steps + 1);
  EXPECT_EQ(traces.front()[399], infinity);
  EXPECT_EQ(traces.front()[400], 1.0);
  EXPECT_EQ(traces.front()[500], 0.75);
  EXPECT_EQ(traces.front()[1000], 0.75);
}

class StudyProblem : public ::testing::TestWithParam<std::size_t> {
 protected:
  Problem problem = all_problems().at(GetParam());
};

TEST_P(StudyProblem, MinimisersReachTheOptimum) {
  for (const auto& minimiser : problem.minimisers) {
    EXPECT_NO_THROW(problem.space.configuration(minimiser));
    // Minimisers are given to 8 digits; curvatures are below 1e4, so values are off by less than 1e4 · (1e-7)².
    EXPECT_NEAR(problem.value(minimiser), problem.optimum, 1e-9) << problem.name;
  }
}

/// Random points, each improved by steps of shrinking size inside the space: none goes below the optimum, and the
/// best comes near it.
TEST_P(StudyProblem, NothingIsLowerThanTheOptimum) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  const std::size_t dimension = problem.space.parameters().size();
  std::vector<double> unit(dimension), moved(dimension), numbers(dimension);
  double lowest_found = infinity;
  for (int start = 0; start < 60; ++start) {
    for (double& u : unit) u = uniform(generator);
    problem.space.from_unit(unit, numbers);
    double lowest = problem.value(numbers);
    double step = 0.3;
    for (int i = 0; i < 1200; ++i, step *= 0.994) {
      for (std::size_t j = 0; j < dimension; ++j)
        moved[j] = std::clamp(unit[j] + step * normal(generator), 0.0, 1.0 - 1e-12);
      problem.space.from_unit(moved, numbers);
      const double value = problem.value(numbers);
      if (value < lowest) {
        lowest = value;
        unit = moved;
      }
    }
    lowest_found = std::min(lowest_found, lowest);
  }
  EXPECT_GE(lowest_found, problem.optimum - 1e-9) << problem.name;
  EXPECT_LE(lowest_found, problem.optimum + 0.05) << problem.name;
}

TEST_P(StudyProblem, CostsArePositiveAndVaryTenfold) {
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> unit(problem.space.parameters().size()), numbers(unit.size()), costs;
  for (int i = 0; i < 20000; ++i) {
    for (double& u : unit) u = uniform(generator);
    problem.space.from_unit(unit, numbers);
    costs.push_back(problem.cost(numbers));
    ASSERT_GT(costs.back(), 0.0);
  }
  EXPECT_GE(bench::quantile(costs, 1) / bench::quantile(costs, 0), 10.0) << problem.name;
  const CostProfile profile = cost_profile(problem);
  // Standard deviations of costs are below 1.6 means; 20,000 draws here and 16,384 there: 3 sigma are 5 %.
  EXPECT_NEAR(bench::mean(costs) / profile.mean, 1.0, 0.05);
  const double at_optimum = problem.cost(
      *std::min_element(problem.minimisers.begin(), problem.minimisers.end(),
                        [&](const auto& a, const auto& b) { return problem.cost(a) < problem.cost(b); }));
  const auto cheaper = std::count_if(costs.begin(), costs.end(), [&](double c) { return c < at_optimum; });
  // A share of 20,000 and one of 16,384 draws: the difference has a standard error below 0.006.
  EXPECT_NEAR(static_cast<double>(cheaper) / 20000.0, profile.optimum_share, 0.03);
}

INSTANTIATE_TEST_SUITE_P(All, StudyProblem, ::testing::Range<std::size_t>(0, all_problems().size()),
                         [](const auto& info) { return all_problems().at(info.param).name; });

TEST(StudyProblems, OptimaAreCheapMiddlingAndDear) {
  std::map<std::string, int> classes;
  std::set<std::string> names;
  bool noisy_value = false, noisy_cost = false, mixed = false;
  for (const Problem& problem : all_problems()) {
    ++classes[optimum_class(cost_profile(problem))];
    names.insert(problem.name);
    noisy_value |= problem.value_noise > 0;
    noisy_cost |= problem.log_cost_noise > 0;
    for (const auto& parameter : problem.space.parameters())
      mixed |= parameter.kind() == carbo::ParameterKind::categorical;
  }
  EXPECT_EQ(names.size(), all_problems().size());
  EXPECT_GE(classes["cheap"], 2);
  EXPECT_GE(classes["middling"], 2);
  EXPECT_GE(classes["dear"], 2);
  EXPECT_TRUE(noisy_value && noisy_cost && mixed);
}

TEST(StudyFunctions, PublishedValues) {
  // Values from the functions' definitions, worked out by hand at points where they are simple.
  EXPECT_DOUBLE_EQ(six_hump_camel(std::vector<double>{1, 1}), 4 - 2.1 + 1.0 / 3 + 1);
  EXPECT_NEAR(log_goldstein_price(std::vector<double>{1, 1}), std::log(1876.0), 1e-12);
  EXPECT_NEAR(log_goldstein_price(std::vector<double>{0, 0}), std::log(600.0), 1e-12);
  EXPECT_DOUBLE_EQ(styblinski_tang(std::vector<double>{1, 0, -1}), (1 - 16 + 5 + 1 - 16 - 5) / 2.0);
  EXPECT_DOUBLE_EQ(log_rosenbrock(std::vector<double>{0, 0, 0}), std::log(3.0));
  EXPECT_NEAR(ackley(std::vector<double>{1, 1}), 20 - 20 * std::exp(-0.2), 1e-12);
  EXPECT_NEAR(branin(std::vector<double>{0, 6}), 10 * (1 - 1 / (8 * M_PI)) + 10, 1e-12);
  EXPECT_NEAR(levy(std::vector<double>{5, 1}), 1 + 10 * std::pow(std::sin(1.0), 2), 1e-12);
  EXPECT_NEAR(hartmann3(std::vector<double>{0.5, 0.5, 0.5}), -0.628022, 1e-6);
  EXPECT_NEAR(hartmann6(std::vector<double>(6, 0.5)), -0.505315, 1e-6);
}

TEST_F(StudyCsv, RoundTripsAndLeavesOutALineThatWasCutOff) {
  const bench::CsvRow header = {"a", "b"};
  const auto file = path / "t.csv";
  EXPECT_TRUE(bench::read_csv(file, header).empty());
  bench::replace_file(file, bench::csv_text(header, {{"1", ""}, {"x y", bench::exact(0.1)}}));
  std::ofstream(file, std::ios::app) << "3,cut";
  const auto rows = bench::read_csv(file, header);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (bench::CsvRow{"1", ""}));
  EXPECT_EQ(bench::to_double(rows[1][1]), 0.1);
  EXPECT_EQ(bench::to_double(bench::exact(infinity)), infinity);
  EXPECT_THROW(bench::read_csv(file, {"a", "c"}), std::runtime_error);
  EXPECT_THROW(bench::csv_line({"a,b"}), std::invalid_argument);
  EXPECT_THROW(bench::to_double("1.5x"), std::runtime_error);
  std::ofstream(file, std::ios::app) << ",too wide\n";
  EXPECT_THROW(bench::read_csv(file, header), std::runtime_error);
}

TEST_F(StudyStore, KeepsFinishedRunsAndDropsWhatWasCutOff) {
  const StudyRun run = hand_made_run();
  {
    RunStore store(path);
    store.add(run);
    EXPECT_TRUE(store.contains(run.key));
  }
  const std::string complete = text_of(path / "traces.csv");
  std::ofstream(path / "traces.csv", std::ios::app) << "p,m,4,1,64,10,1,search,1,2,2,3,1,1\np,m,4,1,6";
  RunStore again(path);
  EXPECT_EQ(text_of(path / "traces.csv"), complete);
  ASSERT_EQ(again.size(), 1u);
  const StudyRun& kept = again.runs().begin()->second;
  EXPECT_EQ(kept.key, run.key);
  EXPECT_EQ(kept.spent, 11);
  ASSERT_EQ(kept.steps.size(), 3u);
  EXPECT_EQ(kept.steps[2].phase, carbo::Phase::search);
  EXPECT_EQ(kept.steps[2].alpha, 0.5);
  EXPECT_EQ(kept.steps[1].finished, 5);
  RunKey other = run.key;
  other.candidates = 65;
  EXPECT_FALSE(again.contains(other));
}

TEST_F(StudyStore, ARunWhoseTraceIsShortIsNotFinished) {
  {
    RunStore store(path);
    store.add(hand_made_run());
  }
  std::string traces = text_of(path / "traces.csv");
  traces.erase(traces.rfind("p,m"));
  std::ofstream(path / "traces.csv", std::ios::trunc) << traces;
  EXPECT_EQ(RunStore(path).size(), 0u);
}

TEST(StudyTrace, IsRepeatableAndStopsAtTheBudget) {
  const Problem problem = all_problems().front();
  const CostProfile profile = cost_profile(problem);
  const Method random = all_methods().front();
  for (const std::size_t batch : {1, 3}) {
    const RunKey key = key_of(problem, profile, random, {.batch = batch, .candidates = 128}, 5);
    const StudyRun first = run_once(problem, random, key);
    const StudyRun second = run_once(problem, random, key);
    ASSERT_EQ(first.steps.size(), second.steps.size());
    EXPECT_GE(first.spent, key.budget);
    EXPECT_LT(first.spent - first.steps.back().cost, key.budget);
    EXPECT_EQ(first.steps.size() % batch, 0u);
    double before = 0;
    for (std::size_t i = 0; i < first.steps.size(); ++i) {
      EXPECT_EQ(first.steps[i].objective, second.steps[i].objective);
      EXPECT_GE(first.steps[i].finished, before);
      EXPECT_GE(first.steps[i].regret, 0.0);
      before = first.steps[i].finished;
    }
    EXPECT_NEAR(first.steps.back().finished, first.spent, 1e-9 * first.spent);
  }
}

TEST(StudyCommandLine, ParsesAndNamesWhatIsWrong) {
  const CommandLine command = parse_command_line(
      {"--seeds", "5", "--batch", "4", "--methods", "carbo,ei", "--problems", "levy4", "--out", "d", "--verbose"});
  EXPECT_EQ(command.seeds, 5u);
  EXPECT_EQ(command.settings.batch, 4u);
  ASSERT_EQ(command.methods.size(), 2u);
  EXPECT_EQ(command.methods[0].name, "ei");
  ASSERT_EQ(command.problems.size(), 1u);
  EXPECT_TRUE(command.verbose);
  EXPECT_EQ(parse_command_line({}).problems.size(), all_problems().size());
  EXPECT_EQ(parse_command_line({}).methods.size(), 6u);
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{"--seeds", "0"}, {"--seeds", "x"}, {"--seeds"}, {"--problems", "none"}, {"--frob"}})
    EXPECT_THROW(parse_command_line(bad), std::invalid_argument);
}

}  // namespace
}  // namespace carbo::study
