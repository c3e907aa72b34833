#pragma once

#include <algorithm>

#include "support/cuda_pair.hpp"

/// How far scores of two backends may differ, and what that says of their picks.
namespace cuda_pair {

/// log EI = log h(u) + log s with u = (y_best − μ)/s. (log h)' is at most 1 + |u|, a mean off by δ moves u by δ/s and
/// a variance off by δ by |u| δ/(2s²) and log s by δ/(2s²). The formulas themselves err by a few ε of their value.
inline double score_tolerance(double incumbent, double mean, double variance, double score, double posterior_error) {
  const double sd = std::sqrt(variance);
  const double u = std::abs(incumbent - mean) / sd;
  const double relative = posterior_error / (2 * variance);
  return (1 + u) * (posterior_error / sd + u * relative) + relative + 64 * epsilon * (1 + std::abs(score));
}

/// One a candidate, the largest over all fantasies; from the CPU's own fields.
inline std::vector<double> score_tolerances(Staged& cpu, const ScoreRequest& request, double posterior_error) {
  const std::vector<double> scores = cpu.scores(request);
  std::vector<double> tolerances(scores.size(), 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::size_t fantasy = 0;
    for (const auto& field : cpu.fields)
      for (std::size_t f = 0; f < field->means(); ++f, ++fantasy)
        tolerances[i] = std::max(tolerances[i], score_tolerance(request.incumbents[fantasy], field->mean(i, f),
                                                                field->variance(i), scores[i], posterior_error));
  }
  return tolerances;
}

/// The pick is the argmax of the scores of the same backend, and so is the runner-up of the rest; ties go to the
/// lowest index.
inline void expect_first_two(const BestTwo& pick, const std::vector<double>& scores) {
  std::size_t first = Scored::none, second = Scored::none;
  const auto better = [&](std::size_t i, std::size_t j) { return j == Scored::none || scores[i] > scores[j]; };
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!(scores[i] > -infinity)) continue;
    if (better(i, first)) {
      second = first;
      first = i;
    } else if (better(i, second)) {
      second = i;
    }
  }
  EXPECT_EQ(pick[0].index, first);
  EXPECT_EQ(pick[1].index, second);
  if (first != Scored::none) {
    EXPECT_EQ(pick[0].score, scores[first]);
  }
  if (second != Scored::none) {
    EXPECT_EQ(pick[1].score, scores[second]);
  }
}

/// Equal wherever the two best scores differ by more than rounding; true where they did.
inline bool expect_same_pick(const BestTwo& found, const BestTwo& expected, const std::vector<double>& tolerances) {
  if (expected[0].index == Scored::none) {
    EXPECT_EQ(found[0].index, Scored::none);
    return true;
  }
  double allowed = tolerances[expected[0].index];
  if (expected[1].index != Scored::none) allowed += tolerances[expected[1].index];
  const bool decided = expected[1].index == Scored::none || expected[0].score - expected[1].score > allowed;
  EXPECT_NEAR(found[0].score, expected[0].score, allowed);
  if (decided) {
    EXPECT_EQ(found[0].index, expected[0].index);
  }
  return decided;
}

}  // namespace cuda_pair
