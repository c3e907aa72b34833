#pragma once

#include <cmath>
#include <cstddef>

#include "device/score_view.hpp"
#include "formulas/variance_floor.hpp"

namespace carbo::kernels {

/// max(base − reduction, floor).
__device__ inline double variance_at(const double* bases, const double* reductions, double floor, std::size_t i) {
  return floored(reductions == nullptr ? bases[i] : bases[i] - reductions[i], floor);
}

/// Whether the mask and the limit of the cost allow a candidate.
__device__ inline bool may_be_picked(const ScoreView& view, std::size_t i) {
  return view.mask[i] != 0 && (view.log_cost == nullptr || view.log_cost[i] <= view.log_cost_limit);
}

__device__ inline LogCost log_cost_of(const ScoreView& view, std::size_t i) {
  if (view.log_cost == nullptr) return {};
  if (view.log_cost_bases == nullptr) return {true, view.log_cost[i], 0.0};
  return {true, view.log_cost[i], variance_at(view.log_cost_bases, view.log_cost_reductions, view.log_cost_floor, i)};
}

/// The acquisition with what a round lasts by now.
__device__ inline AcquisitionSpec acquisition_of(const ScoreView& view) {
  AcquisitionSpec acquisition = view.acquisition;
  if (view.round_log_cost != nullptr) acquisition.round_log_cost = *view.round_log_cost;
  return acquisition;
}

/// Exact score of a candidate, whether or not it may be picked. The dense pass and the search both call this, so that
/// both get the same bits.
template <class Score>
__device__ inline double score_of(const ScoreView& view, std::size_t i) {
  const AcquisitionSpec acquisition = acquisition_of(view);
  const LogCost cost = log_cost_of(view, i);
  typename Score::Reduction terms;
  const double* incumbent = view.incumbents;
  for (int m = 0; m < view.member_count; ++m) {
    const ScoreMember& member = view.members[m];
    const double sd = sqrt(variance_at(member.bases, member.reductions, member.floor, i));
    const auto prepared = Score::prepare(acquisition, sd, cost);
    const double* mean = member.means + i;
    for (int f = 0; f < member.fantasies; ++f, ++incumbent, mean += member.stride)
      terms.add(Score::term(prepared, *incumbent, *mean));
  }
  return terms.value(static_cast<double>(view.fantasies)) + Score::cost_term(acquisition, cost);
}

}  // namespace carbo::kernels
