#pragma once

#include <cmath>
#include <cstddef>

#include "device/score_view.hpp"

namespace carbo::kernels {

/// max(base − reduction, floor).
__device__ inline double variance_at(const double* bases, const double* reductions, double floor, std::size_t i) {
  return floored(reductions == nullptr ? bases[i] : bases[i] - reductions[i], floor);
}

/// Whether the mask and the limit of the cost allow a candidate.
__device__ inline bool may_be_picked(const ScoreView& view, std::size_t i) {
  return view.mask[i] != 0 && (view.log_cost == nullptr || view.log_cost[i] <= view.log_cost_limit);
}

/// What cost adds to the score, with `variance` of the log cost.
__device__ inline double cost_term(const ScoreView& view, std::size_t i, double variance) {
  return view.log_cost == nullptr ? 0.0 : log_cost_term(view.alpha, view.log_cost[i], variance, view.moment);
}

__device__ inline double log_cost_variance(const ScoreView& view, std::size_t i) {
  if (view.log_cost_bases == nullptr) return 0.0;
  return variance_at(view.log_cost_bases, view.log_cost_reductions, view.log_cost_floor, i);
}

/// Exact score of a candidate, whether or not it may be picked: the log of the mean EI over all fantasies, and the
/// cost term. The dense pass and the search both call this, so that both get the same bits.
__device__ inline double score_of(const ScoreView& view, std::size_t i) {
  LogSumExp sum;
  const double* incumbent = view.incumbents;
  for (int m = 0; m < view.member_count; ++m) {
    const ScoreMember& member = view.members[m];
    const double sd = sqrt(variance_at(member.bases, member.reductions, member.floor, i));
    const double log_sd = log(sd);
    const double inverse_sd = 1.0 / sd;
    const double* mean = member.means + i;
    for (int f = 0; f < member.fantasies; ++f, ++incumbent, mean += member.stride)
      sum.add(log_sd + log_scaled_improvement(*incumbent, *mean, inverse_sd));
  }
  return sum.value() - log(static_cast<double>(view.fantasies)) + cost_term(view, i, log_cost_variance(view, i));
}

}  // namespace carbo::kernels
