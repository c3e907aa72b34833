#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include <carbo/carbo.hpp>

#include "support/toy_problems.hpp"

// What is legal and was probably not meant.
namespace carbo {
namespace {

using namespace test;

bool warns(const std::vector<std::string>& warnings, const std::string& part) {
  return std::ranges::any_of(warnings, [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

std::string all(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& one : warnings) text += one + "\n";
  return text;
}

TEST(Warnings, AnOrdinaryRunHasNone) {
  Options options = small_options(60);
  EXPECT_EQ(all(minimize(valley_space(), options, valley).warnings), "");
  options.batch_size = 4;
  options.accounting = Accounting::longest;
  EXPECT_EQ(all(minimize(valley_space(), options, valley).warnings), "") << "what was said is meant";
  options.accounting = Accounting::automatic;
  options.cost.unit = "EUR";
  EXPECT_EQ(all(minimize(valley_space(), options, valley).warnings), "");
}

/// The case: eight at once, 10 each, 640 in all against a budget of 80.
TEST(Warnings, AccountingThatNobodyChoseIsNamedWhereItMatters) {
  Options options = small_options(80);
  options.batch_size = 8;
  const Result result = minimize(valley_space(), options, [](const Configuration& x) {
    return Evaluation{valley(x).objective, 10.0};
  });
  EXPECT_EQ(result.accounting, Accounting::longest);
  EXPECT_TRUE(warns(result.warnings, "640 s, of which 80 count")) << all(result.warnings);
  EXPECT_TRUE(warns(result.warnings, "Accounting::sum"));
  EXPECT_EQ(result.warnings.size(), 1U) << all(result.warnings);
}

TEST(Warnings, OneEvaluationThatSpendsManyBudgets) {
  const Result result = minimize(valley_space(), small_options(10), [](const Configuration& x) {
    return Evaluation{valley(x).objective, 1e7};
  });
  EXPECT_TRUE(warns(result.warnings, "evaluation.timeout")) << all(result.warnings);
  EXPECT_TRUE(warns(result.warnings, "before the search began"));
}

TEST(Warnings, ARunThatEndsBeforeItsSearchIsToldWhatToRaise) {
  Options options = small_options(1000);
  options.max_evaluations = 3;
  EXPECT_TRUE(warns(minimize(valley_space(), options, valley).warnings, "give a larger max_evaluations"));
  options.initial_design = InitialDesign::points;
  for (const double x : {0.1, 0.4, 0.6})
    options.design.points.push_back(valley_space().configuration({{"x", x}, {"y", 0.5}}));
  options.max_evaluations = 3;
  EXPECT_EQ(all(minimize(valley_space(), options, valley).warnings), "") << "exactly as asked for";
  Options strict = small_options(4);
  strict.strict = true;
  const Result refused = minimize(valley_space(), strict, [](const Configuration& x) {
    return Evaluation{valley(x).objective, 1.5};
  });
  EXPECT_EQ(refused.stop_reason, StopReason::strict_budget);
  EXPECT_TRUE(warns(refused.warnings, "give a larger budget")) << all(refused.warnings);
}

TEST(Warnings, AccountingIsNotNamedWhereItDoesNotMatter) {
  Options options = small_options(1e4);
  options.batch_size = 2;
  options.max_evaluations = 20;
  EXPECT_EQ(all(minimize(valley_space(), options, valley).warnings), "");
}

TEST(Warnings, FiguresAreFinite) {
  Options options = small_options(1e300);
  options.batch_size = 4;
  const Result result = minimize(valley_space(), options, [](const Configuration& x) {
    return Evaluation{valley(x).objective, 1.7e308};
  });
  EXPECT_FALSE(warns(result.warnings, "inf")) << all(result.warnings);
  EXPECT_FALSE(result.warnings.empty());
}

TEST(Warnings, AConstantObjective) {
  const Result result = minimize(valley_space(), small_options(60), [](const Configuration& x) {
    return Evaluation{0.25, valley(x).cost};
  });
  EXPECT_TRUE(warns(result.warnings, "objectives are 0.25")) << all(result.warnings);
}

TEST(Warnings, MostEvaluationsFail) {
  int calls = 0;
  const Result result = minimize(valley_space(), small_options(60), [&](const Configuration& x) {
    if (++calls % 4 != 0) throw EvaluationFailed(2.0, "diverged");
    return valley(x);
  });
  EXPECT_TRUE(warns(result.warnings, "evaluations failed, the last with: diverged")) << all(result.warnings);
}

TEST(Warnings, DecadesOnALinearScale) {
  const Space space{real("rate", 1e-5, 1.0),       integer("units", 1, 2000), integer("epochs", 1, 1000),
                    real("good", 1e-5, 1.0).log(), real("signed", -1e3, 1e3), real("narrow", 0.1, 10)};
  const auto warnings = Optimizer(space, small_options(10)).warnings();
  EXPECT_TRUE(warns(warnings, "'rate'") && warns(warnings, "'units'")) << all(warnings);
  EXPECT_EQ(warnings.size(), 2U) << all(warnings);
}

TEST(Warnings, SettingsWithoutAnEffect) {
  Options options = small_options(10);
  options.cost.model = CostModelKind::log_gp;
  options.cost.features = {work("x")};
  EXPECT_TRUE(warns(Optimizer(valley_space(), options).warnings(), "cost.features"));
  options.cost.model = CostModelKind::automatic;
  EXPECT_TRUE(Optimizer(valley_space(), options).warnings().empty());
  options.candidates.pool = grid_pool(valley_space(), 2);
  options.batch_size = 5;
  EXPECT_TRUE(warns(Optimizer(valley_space(), options).warnings(), "only 4 candidates"));
}

TEST(Warnings, PriorDataThatUseUpTheRun) {
  Hooks hooks;
  hooks.prior = minimize(valley_space(), small_options(40), valley).observations;
  const Result again = minimize(valley_space(), small_options(40), valley, hooks);
  EXPECT_TRUE(again.suggestions.empty());
  EXPECT_TRUE(warns(again.warnings, "Origin::prior")) << all(again.warnings);
}

TEST(Warnings, ATimeoutThatTheObjectiveCannotSee) {
  Options options = small_options(30);
  options.evaluation.timeout = 15.0;
  EXPECT_TRUE(warns(minimize(valley_space(), options, valley).warnings, "EvaluationContext"));
  const Result seen =
      minimize(valley_space(), options, [](const Configuration& x, const EvaluationContext&) { return valley(x); });
  EXPECT_FALSE(warns(seen.warnings, "EvaluationContext"));
  options.cost.unit = "EUR";
  EXPECT_TRUE(warns(minimize(valley_space(), options, valley).warnings, "its cost reaches timeout()"));
}

}  // namespace
}  // namespace carbo
