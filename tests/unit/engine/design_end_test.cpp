#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

// Where the cost-effective design ends, and what receipts say of it.
namespace carbo {
namespace {

using namespace test;

struct Course {
  std::vector<Suggestion> suggestions;
  std::vector<Observation> observations;

  std::size_t of(Phase phase) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(suggestions, [&](const Suggestion& s) { return s.receipt.phase == phase; }));
  }
  const Receipt& first_of_search() const {
    return std::ranges::find(suggestions, Phase::search, [](const Suggestion& s) { return s.receipt.phase; })
        ->receipt;
  }
};

Course course_of(const Options& options, std::size_t batch = 1) {
  Optimizer optimizer(valley_space(), options);
  Course course;
  while (!optimizer.done()) {
    const auto asked = optimizer.ask(batch);
    for (const Suggestion& s : asked) optimizer.tell(s.id, valley(s.configuration));
    course.suggestions.insert(course.suggestions.end(), asked.begin(), asked.end());
  }
  course.observations.assign(optimizer.observations().begin(), optimizer.observations().end());
  return course;
}

Options design_of(double least_gain, double budget = 100) {
  Options options = small_options(budget);
  options.design.least_gain = least_gain;
  return options;
}

TEST(DesignEnd, ThePapersRuleIsItsShareAlone) {
  Options paper = small_options(200);
  paper.initial_design = InitialDesign::paper;
  Options same = design_of(0, 200);
  same.design.warm_start = 5;
  const Course literal = course_of(paper), never = course_of(same);
  EXPECT_EQ(literal.of(Phase::warm_start), 5U);
  EXPECT_GE(literal.of(Phase::design), 3U);
  ASSERT_EQ(literal.suggestions.size(), never.suggestions.size());
  for (std::size_t i = 0; i < literal.suggestions.size(); ++i)
    EXPECT_EQ(literal.suggestions[i].configuration, never.suggestions[i].configuration) << i;
  EXPECT_EQ(literal.first_of_search().design_end, DesignEnd::share);
  EXPECT_FALSE(literal.first_of_search().design_gain) << "nothing was looked at";
  EXPECT_GE(literal.first_of_search().spent, 25.0);
}

TEST(DesignEnd, LittleToLearnEndsItEarlier) {
  std::size_t last = 1000;
  for (const double least : {0.0, 0.05, 0.3, 0.7, 1.0}) {
    const Course course = course_of(design_of(least, 400));
    EXPECT_EQ(course.of(Phase::warm_start), 3U);
    EXPECT_LE(course.of(Phase::design), last) << least;
    last = course.of(Phase::design);
    const Receipt& first = course.first_of_search();
    EXPECT_EQ(first.design_end, least == 0 ? DesignEnd::share : DesignEnd::gain) << least;
    EXPECT_NEAR(*first.alpha, 1.0, 1e-12);
    if (least == 0) continue;
    EXPECT_LT(*first.design_gain, least);
    EXPECT_LT(first.spent, 50.0);
    for (const Suggestion& s : course.suggestions) {
      if (s.receipt.phase == Phase::warm_start) {
        EXPECT_FALSE(s.receipt.design_gain);
      }
      if (s.receipt.phase == Phase::design) {
        EXPECT_GE(*s.receipt.design_gain, least);
      }
      if (s.receipt.phase != Phase::search) {
        EXPECT_FALSE(s.receipt.design_end);
      }
      if (s.receipt.phase == Phase::search) {
        EXPECT_EQ(s.receipt.design_gain, first.design_gain);
      }
    }
  }
  EXPECT_EQ(last, 0U) << "no point teaches everything";
}

TEST(DesignEnd, BatchesLookOnceAndCountWhatRuns) {
  Options options = design_of(0.3, 300);
  options.accounting = Accounting::longest;
  options.batch_size = 4;
  const Course course = course_of(options, 4);
  for (std::size_t i = 0; i < course.suggestions.size(); ++i) {
    const Receipt& receipt = course.suggestions[i].receipt;
    EXPECT_EQ(receipt.phase, course.suggestions[i / 4 * 4].receipt.phase) << "a batch is of one kind";
    EXPECT_EQ(receipt.design_gain, course.suggestions[i / 4 * 4].receipt.design_gain);
  }
  EXPECT_EQ(course.of(Phase::warm_start), 4U) << "nothing is known of costs before the first result";
  EXPECT_EQ(course.first_of_search().design_end, DesignEnd::gain);
  // Points that run are known points: the more of them, the less another one teaches.
  Optimizer optimizer(valley_space(), design_of(0.01, 1e6));
  for (const Suggestion& s : optimizer.ask(3)) optimizer.tell(s.id, valley(s.configuration));
  const double alone = *optimizer.ask(1).at(0).receipt.design_gain;
  double beside = alone;
  for (int i = 0; i < 12; ++i) beside = *optimizer.ask(1).at(0).receipt.design_gain;
  EXPECT_LT(beside, 0.5 * alone);
}

TEST(DesignEnd, PriorDataReplaceUniformDraws) {
  Optimizer optimizer(valley_space(), design_of(0.3));
  for (const double x : {0.15, 0.5, 0.85}) {
    const Configuration point = valley_space().configuration({{"x", x}, {"y", 1 - x}});
    optimizer.tell(point, valley(point));
  }
  EXPECT_NE(optimizer.ask(1).at(0).receipt.phase, Phase::warm_start);
}

TEST(DesignEnd, KnownCostsNeedNoDraws) {
  Options options = design_of(0.3, 400);
  options.cost.known = [](const Configuration& x) { return std::exp(3.0 * x.real("x")); };
  const Course course = course_of(options);
  EXPECT_EQ(course.of(Phase::warm_start), 0U);
  EXPECT_FALSE(course.suggestions[0].receipt.design_gain) << "the objective's model knows nothing yet";
  EXPECT_TRUE(course.suggestions[1].receipt.design_gain);
  EXPECT_EQ(course.first_of_search().design_end, DesignEnd::gain);
}

TEST(DesignEnd, OtherEndsAreNamed) {
  Options options = design_of(0);
  options.initial_design = InitialDesign::uniform;
  EXPECT_EQ(course_of(options).first_of_search().design_end, DesignEnd::served);
  Options counted = design_of(1e-9, 1e6);
  counted.max_evaluations = 40;
  const Course course = course_of(counted);
  EXPECT_EQ(course.first_of_search().design_end, DesignEnd::share);
  EXPECT_EQ(course.of(Phase::warm_start) + course.of(Phase::design), 5U) << "an eighth of 40";
}

TEST(DesignEnd, ResultsDoNotDependOnTilesOrThreads) {
  Options options = design_of(0.3, 60);
  const Course one = course_of(options);
  options.backend.threads = 3;
  options.backend.tile = 64;
  const Course other = course_of(options);
  ASSERT_EQ(one.suggestions.size(), other.suggestions.size());
  for (std::size_t i = 0; i < one.suggestions.size(); ++i) {
    EXPECT_EQ(one.suggestions[i].configuration, other.suggestions[i].configuration);
    EXPECT_EQ(one.suggestions[i].receipt.design_gain, other.suggestions[i].receipt.design_gain);
  }
}

/// A run that goes on ends its design where the uninterrupted one did, wherever it was cut.
TEST(DesignEnd, AResumedRunEndsItWhereTheOtherDid) {
  for (const std::size_t batch : {1U, 3U}) {
    Options options = design_of(0.3, 100);
    options.accounting = Accounting::sum;
    options.design.budget_share = 0.7;
    options.batch_size = batch;
    const Course whole = course_of(options, batch);
    ASSERT_EQ(whole.first_of_search().design_end, DesignEnd::gain);
    ASSERT_GT(whole.of(Phase::design), 0U);
    for (std::size_t cut = batch; cut + batch <= whole.observations.size(); cut += batch) {
      Optimizer again(valley_space(), options);
      for (std::size_t i = 0; i < cut; ++i) again.tell(whole.observations[i]);
      const Receipt next = again.ask(batch).at(0).receipt;
      const Receipt& expected = whole.suggestions[cut].receipt;
      const bool begun = whole.suggestions[cut - 1].receipt.phase == Phase::search;
      if (begun) {
        EXPECT_EQ(next.phase, Phase::search) << cut;
      }
      if (begun) {
        EXPECT_NEAR(*next.alpha, *expected.alpha, 1e-12) << cut;
      }
      if (expected.phase == Phase::warm_start) {
        EXPECT_EQ(next.phase, Phase::warm_start) << cut;
      }
    }
  }
}

TEST(DesignEnd, WithoutPhasesTheShareCounts) {
  Options options = design_of(1, 100);
  options.acquisition_parameters.cooling = 1;
  const Course whole = course_of(options);
  Optimizer again(valley_space(), options);
  double spent = 0;
  for (Observation seen : whole.observations) {
    if (spent > 60) break;
    seen.phase.reset();
    again.tell(seen);
    spent += seen.cost;
  }
  const Receipt next = again.ask(1).at(0).receipt;
  EXPECT_EQ(next.phase, Phase::search);
  EXPECT_EQ(next.design_end, DesignEnd::share);
  EXPECT_LT(*next.alpha, 0.6);
}

TEST(DesignEnd, ObservationsSayTheirPhase) {
  const Course course = course_of(design_of(0.3, 60));
  for (std::size_t i = 0; i < course.observations.size(); ++i)
    EXPECT_EQ(course.observations[i].phase, course.suggestions[i].receipt.phase);
}

TEST(DesignEnd, SharesOutsideTheirRangeAreRefused) {
  for (const double wrong : {-1e-9, 1.000001, std::nan(""), HUGE_VAL})
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), design_of(wrong)); },
                                 {"design.least_gain", "0 to 1"});
}

}  // namespace
}  // namespace carbo
