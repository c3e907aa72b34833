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

TEST(InitialDesignPlan, CostEffectiveEndsWhenItsShareIsSpentOrCommitted) {
  const Options options = options_for(InitialDesign::cost_effective);
  InitialDesignPlan plan(options);
  EXPECT_EQ(plan.warm_start_left(0), 5U);
  EXPECT_FALSE(plan.over({4, 0, 50, 0})) << "the warm start is owed whatever it costs";
  EXPECT_FALSE(plan.over({5, 0, 9.9, 0}));
  EXPECT_TRUE(plan.over({6, 0, 9.9, 0.1}));
  EXPECT_FALSE(plan.ended());
  plan.end();
  EXPECT_TRUE(plan.over({0, 0, 0, 0})) << "once ended, always over";
}

TEST(InitialDesignPlan, KnownCostNeedsNoWarmStart) {
  Options options = options_for(InitialDesign::cost_effective);
  options.cost.known = [](const Configuration&) { return 1.0; };
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

TEST(Cooling, OtherAcquisitionsHaveConstantExponents) {
  kernels::RunState run;
  run.budget = 80;
  run.used = 45;
  run.used_at_design_end = 10;
  EXPECT_EQ(run_parameter(Acquisition::ei_per_cost, run), 1.0);
  EXPECT_EQ(run_parameter(Acquisition::ei, run), 0.0);
  EXPECT_EQ(run_parameter(Acquisition::random, run), 0.0);
  EXPECT_EQ(run_parameter(Acquisition::ei_cool, run), 0.5);
}

}  // namespace
}  // namespace carbo::internal
