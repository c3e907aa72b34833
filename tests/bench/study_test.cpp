#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "bench/study/command_line.hpp"
#include "bench/study/functions.hpp"
#include "bench/study/problem.hpp"
#include "replay/methods.hpp"
#include "replay/schedule.hpp"
#include "replay/statistics.hpp"
#include "support/not_finite.hpp"

namespace carbo::study {
namespace {

namespace bench = carbo::bench;

using carbo::test::infinity;

/// The study's, and those that settings are judged by.
std::vector<Problem> every_problem() {
  std::vector<Problem> problems = all_problems();
  for (Problem& problem : verdict_problems()) problems.push_back(std::move(problem));
  return problems;
}

class StudyProblem : public ::testing::TestWithParam<std::size_t> {
 protected:
  Problem problem = every_problem().at(GetParam());
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
  EXPECT_GE(replay::quantile(costs, 1) / replay::quantile(costs, 0), 10.0) << problem.name;
  const CostProfile profile = cost_profile(problem);
  // Standard deviations of costs are below 1.6 means; 20,000 draws here and 16,384 there: 3 sigma are 5 %.
  EXPECT_NEAR(replay::mean(costs) / profile.mean, 1.0, 0.05);
  const double at_optimum = problem.cost(
      *std::min_element(problem.minimisers.begin(), problem.minimisers.end(),
                        [&](const auto& a, const auto& b) { return problem.cost(a) < problem.cost(b); }));
  const auto cheaper = std::count_if(costs.begin(), costs.end(), [&](double c) { return c < at_optimum; });
  // A share of 20,000 and one of 16,384 draws: the difference has a standard error below 0.006.
  EXPECT_NEAR(static_cast<double>(cheaper) / 20000.0, profile.optimum_share, 0.03);
}

INSTANTIATE_TEST_SUITE_P(All, StudyProblem, ::testing::Range<std::size_t>(0, every_problem().size()),
                         [](const auto& info) { return every_problem().at(info.param).name; });

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
  EXPECT_NEAR(michalewicz(std::vector<double>{M_PI / 2, M_PI / 2}), -1 - std::pow(2, -10), 1e-12);
  EXPECT_NEAR(shekel(std::vector<double>(4, 5.0)), -0.864616, 1e-6);
  EXPECT_NEAR(griewank(std::vector<double>{M_PI, 0}), 2 + M_PI * M_PI / 4000, 1e-12);
  EXPECT_NEAR(rastrigin(std::vector<double>{0.5, 1}), 21.25, 1e-12);
  EXPECT_NEAR(holder_table(std::vector<double>{M_PI / 2, 0}), -std::exp(0.5), 1e-12);
  EXPECT_DOUBLE_EQ(log_dixon_price(std::vector<double>{1, 1, 0}), std::log(6.0));
  EXPECT_DOUBLE_EQ(log_himmelblau(std::vector<double>{0, 0}), std::log(171.0));
}

TEST(StudyFunctions, PublishedOptimaOfThoseThatJudge) {
  const std::map<std::string, double> published = {
      {"michalewicz5", -4.687658}, {"shekel4", -10.5364}, {"griewank6", 0},       {"rastrigin3", 0},
      {"holder", -19.2085},        {"dixon_price6", 0},   {"himmelblau_noisy", 0}};
  ASSERT_EQ(verdict_problems().size(), published.size());
  for (const Problem& problem : verdict_problems())
    EXPECT_NEAR(problem.optimum, published.at(problem.name), 5e-5) << problem.name;
}

/// Costs that differ 5 to 100 times between one and the other twentieth of the space, and optima of every class.
TEST(StudyFunctions, PricesOfThoseThatJudgeAreSpreadWidely) {
  std::map<std::string, int> classes;
  for (const Problem& problem : verdict_problems()) {
    const CostProfile profile = cost_profile(problem);
    EXPECT_GT(profile.spread, 5) << problem.name;
    EXPECT_LT(profile.spread, 110) << problem.name;
    ++classes[optimum_class(profile)];
  }
  EXPECT_GE(classes["cheap"], 2);
  EXPECT_GE(classes["middling"], 2);
  EXPECT_GE(classes["dear"], 2);
}

TEST(StudyRuns, AreRepeatableAndStopAtTheBudget) {
  const Problem problem = all_problems().front();
  const CostProfile profile = cost_profile(problem);
  const replay::Problem seen = replayed(problem, profile, 128);
  const replay::Method random = replay::paper_methods().front();
  for (const std::size_t batch : {1, 3}) {
    const replay::RunKey key = replay::key_of(seen, random, batch, budget_of(problem, profile, batch), 5);
    const replay::RunRecord first = run_once(seen, random, key);
    const replay::RunRecord second = run_once(seen, random, key);
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
