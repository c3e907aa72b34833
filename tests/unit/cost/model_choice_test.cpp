#include "cost/model_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/student.hpp"

namespace carbo::internal {
namespace {

using enum CostModelKind;

TEST(ModelChoice, TakesTheHighestTotalWhereThereIsNoHolder) {
  const std::vector<ModelEvidence> evidence{{log_gp, {-1, -1}}, {linear, {-0.5, -0.9}}};
  EXPECT_EQ(choose_model(std::nullopt, evidence), linear);
  EXPECT_EQ(choose_model(log_gp, evidence), log_gp);
}

TEST(ModelChoice, AGainThatChanceExplainsChangesNothing) {
  // Differences of +3 and −2.5 in turn: a total of 2, and a standard error of more.
  ModelEvidence holder{log_gp, std::vector<double>(8, 0.0)}, rival{linear, {}};
  for (int i = 0; i < 4; ++i) rival.log_densities.insert(rival.log_densities.end(), {3.0, -2.5});
  EXPECT_EQ(choose_model(log_gp, std::vector{holder, rival}), log_gp);
  EXPECT_EQ(choose_model(linear, std::vector{holder, rival}), linear);
  // The same total, evenly: no doubt is left.
  rival.log_densities.assign(8, 0.25);
  EXPECT_EQ(choose_model(log_gp, std::vector{holder, rival}), linear);
  // Evenly, but less than a nat in all.
  rival.log_densities.assign(8, 0.12);
  EXPECT_EQ(choose_model(log_gp, std::vector{holder, rival}), log_gp);
}

TEST(ModelChoice, DoesNotGoBackAndForthOnNoise) {
  // Two models of equal worth, fresh noise in every round: without hysteresis about half of the rounds would switch.
  CostModelKind kind = log_gp;
  int switches = 0;
  unsigned state = 1;
  const auto noise = [&state] {
    return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) / 16777216;
  };
  for (int round = 0; round < 1000; ++round) {
    ModelEvidence a{log_gp, {}}, b{linear, {}};
    for (int i = 0; i < 20; ++i) {
      a.log_densities.push_back(noise());
      b.log_densities.push_back(noise());
    }
    const CostModelKind next = choose_model(kind, std::vector{a, b});
    switches += next != kind;
    kind = next;
  }
  EXPECT_LT(switches, 100);
}

TEST(ModelChoice, ScoresAreMeansInTheOrderGiven) {
  const std::vector<ModelEvidence> evidence{{linear, {1, 2, 6}}, {log_gp, {-1, 0, 1}}};
  const auto scores = model_scores(evidence);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].model, linear);
  EXPECT_DOUBLE_EQ(scores[0].log_density, 3.0);
  EXPECT_DOUBLE_EQ(scores[1].log_density, 0.0);
}

TEST(StudentDensity, IntegratesToOneAndHasTheRightTails) {
  for (const double scale : {0.1, 1.0, 30.0}) {
    double sum = 0;
    const double step = scale * 1e-3;
    for (double x = -200 * scale; x < 200 * scale; x += step) sum += step * std::exp(student_log_density(x, scale));
    EXPECT_NEAR(sum, 1.0, 1e-6);  // the tails beyond 200 scales hold 12 / 200⁴ each
  }
  // Published: the density of t with 4 degrees of freedom at 0 is 3/8, at 1 it is 0.2146625258.
  EXPECT_NEAR(std::exp(student_log_density(0, 1)), 0.375, 1e-15);
  EXPECT_NEAR(std::exp(student_log_density(1, 1)), 0.21466252583997980, 1e-12);
}

}  // namespace
}  // namespace carbo::internal
