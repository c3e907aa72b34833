#include <gtest/gtest.h>

#include <string>

#include <carbo/carbo.hpp>

#include "support/toy_problems.hpp"

// Runs of `minimize` that end early because the caller has something to change: the result says what.
namespace carbo {
namespace {

using namespace test;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(MinimizeErrors, AnObjectiveWithoutALogarithmEndsTheRun) {
  for (const std::size_t batch : {1U, 3U}) {
    Options options = small_options(200);
    options.transform = Transform::log;
    options.batch_size = batch;
    const Result result = minimize(valley_space(), options, [](const Configuration& x) {
      return Evaluation{valley(x).objective - 0.05, valley(x).cost};
    });
    EXPECT_EQ(result.stop_reason, StopReason::error);
    EXPECT_TRUE(contains(result.error, "no logarithm") && contains(result.error, "rank")) << result.error;
    EXPECT_LT(result.spent, 200);
    EXPECT_EQ(result.observations.size(), result.suggestions.size()) << "what ran beside it is kept";
    std::size_t failures = 0;
    for (const Observation& seen : result.observations) {
      const double objective = valley(seen.configuration).objective - 0.05;
      EXPECT_EQ(seen.status == ObservationStatus::failed, !(objective > 0));
      EXPECT_DOUBLE_EQ(seen.cost, valley(seen.configuration).cost);
      if (seen.status != ObservationStatus::failed) continue;
      ++failures;
      EXPECT_TRUE(contains(seen.reason, "-0.0")) << "the value is not lost: " << seen.reason;
    }
    EXPECT_GE(failures, 1U);
    EXPECT_LE(failures, batch) << "no batch begins after it";
  }
}

}  // namespace
}  // namespace carbo
