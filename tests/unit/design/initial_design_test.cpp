#include "design/initial_design.hpp"

#include <gtest/gtest.h>

#include "acquisition/choose.hpp"
#include "acquisition/ei_cool.hpp"

namespace carbo::internal {
namespace {

Options options_for(InitialDesign design) {
  Options options;
  options.budget = 80;
  options.initial_design = design;
  return options;
}

TEST(InitialDesignPlan, AlgorithmOneEndsWhenItsShareIsSpentOrCommitted) {
  for (const InitialDesign design : {InitialDesign::paper, InitialDesign::cost_effective}) {
    const Options options = options_for(design);
    const std::size_t draws = design == InitialDesign::paper ? 5 : 3;
    InitialDesignPlan plan(options);
    EXPECT_TRUE(plan.races());
    EXPECT_EQ(plan.usual_end(), DesignEnd::share);
    EXPECT_EQ(plan.warm_start_left(0), draws);
    EXPECT_FALSE(plan.over({draws - 1, 0, 50, 0})) << "the warm start is owed whatever it costs";
    EXPECT_FALSE(plan.over({draws, 0, 9.9, 0}));
    EXPECT_TRUE(plan.over({6, 0, 9.9, 0.1}));
    EXPECT_FALSE(plan.ended());
    plan.end(DesignEnd::gain);
    EXPECT_TRUE(plan.over({0, 0, 0, 0})) << "once ended, always over";
    plan.end(DesignEnd::share);
    EXPECT_EQ(plan.why_ended(), DesignEnd::gain) << "the first reason stays";
  }
}

TEST(InitialDesignPlan, OnlyTheCostEffectiveOneStopsEarly) {
  Options options = options_for(InitialDesign::cost_effective);
  options.design.least_gain = 0.25;
  const InitialDesignPlan plan(options);
  EXPECT_TRUE(plan.stops_early());
  EXPECT_TRUE(plan.worth(0.25));
  EXPECT_FALSE(plan.worth(0.2499));
  for (const InitialDesign design : {InitialDesign::paper, InitialDesign::uniform, InitialDesign::points}) {
    options.initial_design = design;
    EXPECT_FALSE(InitialDesignPlan(options).stops_early());
  }
  options.initial_design = InitialDesign::cost_effective;
  options.design.least_gain = 0;
  EXPECT_FALSE(InitialDesignPlan(options).stops_early());
}

TEST(InitialDesignPlan, KnownCostNeedsNoWarmStart) {
  Options options = options_for(InitialDesign::cost_effective);
  options.cost.known = [](const Configuration&) { return 1.0; };
  EXPECT_EQ(InitialDesignPlan(options).warm_start_left(0), 0U);
  options.initial_design = InitialDesign::paper;
  EXPECT_EQ(InitialDesignPlan(options).warm_start_left(0), 0U);
  options.initial_design = InitialDesign::uniform;
  EXPECT_EQ(InitialDesignPlan(options).warm_start_left(0), 5U);
}

TEST(InitialDesignPlan, UniformIsTheWarmStartAlone) {
  const Options options = options_for(InitialDesign::uniform);
  const InitialDesignPlan plan(options);
  EXPECT_FALSE(plan.over({4, 0, 0, 0}));
  EXPECT_TRUE(plan.over({5, 0, 0, 0}));
}

TEST(InitialDesignPlan, AnchorIsSettledByTheFirstCall) {
  const Options options = options_for(InitialDesign::uniform);
  InitialDesignPlan plan(options);
  EXPECT_EQ(plan.spent_at_end(7), 7.0);  // asking settles nothing
  plan.settle_spent(12);
  plan.settle_spent(20);
  EXPECT_EQ(plan.spent_at_end(30), 12.0);
}

TEST(Cooling, FallsFromOneToZeroWithTheBudgetAndIsClamped) {
  EXPECT_EQ(kernels::EiCool::cooled(80, 10, 10), 1.0);
  EXPECT_EQ(kernels::EiCool::cooled(80, 45, 10), 0.5);
  EXPECT_EQ(kernels::EiCool::cooled(80, 80, 10), 0.0);
  EXPECT_EQ(kernels::EiCool::cooled(80, 95, 10), 0.0) << "a batch that overspends";
  EXPECT_EQ(kernels::EiCool::cooled(80, 5, 10), 1.0);
  EXPECT_EQ(kernels::EiCool::cooled(80, 90, 90), 0.0) << "a design that used up the budget";
}

/// Products of the paper's exponent with itself, and its roots by halving intervals.
TEST(Cooling, IsAPowerOfThePapersExponent) {
  kernels::RunState run;
  run.budget = 80;
  run.used_at_design_end = 10;
  for (const double used : {0.0, 10.0, 11.0, 27.5, 45.0, 79.0, 80.0, 95.0}) {
    run.used = used;
    const double share = used <= 10 ? 1 : used >= 80 ? 0 : (80 - used) / 70;
    for (int times = 1; times <= 100; times += 33) {
      double product = 1;
      for (int i = 0; i < times; ++i) product *= share;
      run.given.cooling = times;
      EXPECT_NEAR(run_parameter(Acquisition::ei_cool, run), product, 1e-13);
      double low = 0, high = 1;
      for (int i = 0; i < 200; ++i) {
        double power = 1;
        for (int j = 0; j < times; ++j) power *= (low + high) / 2;
        (power < share ? low : high) = (low + high) / 2;
      }
      run.given.cooling = 1.0 / times;
      EXPECT_NEAR(run_parameter(Acquisition::ei_cool, run), high, 1e-12) << used << ", root " << times;
    }
    run.given.cooling = 1;
    EXPECT_EQ(run_parameter(Acquisition::ei_cool, run), share) << "the paper's, to the last bit";
    run.given.cooling = 0;
    EXPECT_EQ(run_parameter(Acquisition::ei_cool, run), 1.0) << "EIpu to the end";
    EXPECT_EQ(run_parameter(Acquisition::ei, run), 0.0);
  }
}

TEST(Cooling, OtherAcquisitionsHaveConstantExponents) {
  kernels::RunState run;
  run.budget = 80;
  run.used = 45;
  run.used_at_design_end = 10;
  run.given.cooling = 1;
  EXPECT_EQ(run_parameter(Acquisition::ei_per_cost, run), 1.0);
  EXPECT_EQ(run_parameter(Acquisition::ei, run), 0.0);
  EXPECT_EQ(run_parameter(Acquisition::random, run), 0.0);
  EXPECT_EQ(run_parameter(Acquisition::ei_cool, run), 0.5);
}

}  // namespace
}  // namespace carbo::internal
