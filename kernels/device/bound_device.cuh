#pragma once

#include <cmath>

#include "acquisition/proof.hpp"
#include "device/best_two.cuh"
#include "device/bound_view.hpp"
#include "device/score_device.cuh"
#include "formulas/sort_keys.hpp"

namespace carbo::kernels {

/// Upper bound on ‖z‖ of fantasy f over the points (version, horizon].
__device__ inline double stale_norm_of(const BoundView& view, int version, int f) {
  if (version >= view.horizon) return 0.0;
  return stale_norm(view.squares[view.horizon * view.fantasies + f], view.squares[version * view.fantasies + f]);
}

/// Whether the log cost, its variance and its mean, is made of all rows.
__device__ inline bool cost_finished(const BoundView& view, std::size_t i) {
  return view.cost_solved == nullptr || view.cost_solved[i] >= static_cast<std::uint32_t>(view.cost_rows);
}

/// The cost that makes the score the highest.
template <class Score>
__device__ inline LogCost bounding_cost(const BoundView& view, std::size_t i) {
  LogCost cost = log_cost_of(view.score, i);
  cost.variance = bounding_cost_variance(cost.variance, cost_finished(view, i),
                                         Score::rises_with_cost_variance(view.score.acquisition.moment));
  return cost;
}

/// Upper bounds on the terms of all fantasies of member m.
template <class Score>
__device__ inline void add_member(const BoundView& view, int m, std::size_t i, const LogCost& cost,
                                  typename Score::Reduction::Bounds& bounds) {
  const ScoreMember& member = view.score.members[m];
  const BoundMember& bound = view.members[m];
  const int version = static_cast<int>(bound.versions[i]);
  const double known_error = view.now > 0 ? bound.response_errors[view.now - 1] : 0.0;
  const double sd =
      bounding_deviation(variance_at(member.bases, member.reductions, member.floor, i), bound.signal_variance,
                         static_cast<double>(bound.rows + view.horizon), static_cast<double>(view.horizon - version),
                         assumed_response_error(known_error, bound.usual_error));
  const auto prepared = Score::prepare(acquisition_of(view.score), sd, cost);
  const int of_member = view.fantasies / view.score.member_count;
  // Before the first fantasised point all fantasies of a member are the same one.
  const bool alike = member.fantasies == 1 && version >= view.horizon;
  const int different = alike ? 1 : of_member;
  for (int f = 0; f < different; ++f) {
    const int row = member.fantasies == 1 ? 0 : f;
    const double incumbent = view.score.incumbents[m * member.fantasies + row];
    const double mean = member.means[row * member.stride + i];
    const double norm = stale_norm_of(view, version, m * of_member + f);
    bounds.add(Score::bound(prepared, incumbent, mean, norm), alike ? of_member : 1.0);
  }
}

/// Upper bound on the score of a candidate until the horizon; ∞ where nothing is known.
template <class Score>
__device__ inline double ceiling_of(const BoundView& view, std::size_t i) {
  if constexpr (!Score::has_ceilings) {
    return HUGE_VAL;
  } else {
    const LogCost cost = bounding_cost<Score>(view, i);
    typename Score::Reduction::Bounds bounds;
    for (int m = 0; m < view.score.member_count; ++m) add_member<Score>(view, m, i, cost, bounds);
    const double ceiling = bounds.ceiling(static_cast<double>(view.fantasies)) + view.shift +
                           with_margin(Score::cost_term(acquisition_of(view.score), cost));
    return isnan(ceiling) ? HUGE_VAL : ceiling;
  }
}

/// Whether all variances that the score is made of are made of all rows; all means are then, too.
__device__ inline bool is_finished(const BoundView& view, std::size_t i) {
  if (!cost_finished(view, i)) return false;
  for (int m = 0; m < view.score.member_count; ++m)
    if (view.members[m].solved[i] < static_cast<std::uint32_t>(view.members[m].rows)) return false;
  return true;
}

/// Whether it is up to date, too; all members have seen the same points.
__device__ inline bool is_exact(const BoundView& view, std::size_t i) {
  return view.members[0].versions[i] == static_cast<std::uint32_t>(view.now) && is_finished(view, i);
}

struct BoundStage {
  BestTwo exact[bound_block];
  BestTwo ceilings[bound_block];
  double highest[bound_block];
};

/// The greatest over all threads of a block of bound_block, for thread 0.
__device__ inline double block_highest(double own, double (&room)[bound_block]) {
  room[threadIdx.x] = own;
  __syncthreads();
  for (int half = bound_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      own = fmax(own, room[threadIdx.x + half]);
      room[threadIdx.x] = own;
    }
    __syncthreads();
  }
  return own;
}

/// Ceiling or exact score of this thread's candidate (none where i ≥ size), and the best of the block, whose number
/// among all is `block`.
template <class Score>
__device__ inline void bound_block_of(const BoundView& view, std::size_t i, std::size_t size, std::size_t block,
                                      const BoundOutput& output, BoundStage& stage) {
  BestTwo exact = no_best();
  BestTwo ceilings = no_best();
  double ceiling = -HUGE_VAL;
  if (i < size) {
    if (may_be_picked(view.score, i)) {
      if (is_exact(view, i)) {
        offer(exact, score_of<Score>(view.score, i), static_cast<std::uint32_t>(i));
      } else {
        ceiling = ceiling_of<Score>(view, i);
        const bool seed = ceiling > -HUGE_VAL && (!view.known_seeds || is_finished(view, i));
        if (seed) offer(ceilings, ceiling, static_cast<std::uint32_t>(i));
      }
    }
    output.ceilings[i] = ceiling;
  }
  exact = block_best(exact, stage.exact);
  ceilings = block_best(ceilings, stage.ceilings);
  const double highest = block_highest(ceiling, stage.highest);
  if (threadIdx.x != 0) return;
  output.best[block] = exact;
  output.seed_keys[block] = descending_key(ceilings.score[0]);
  output.seed_indices[block] = ceilings.index[0];
  output.highest[block] = highest;
}

}  // namespace carbo::kernels
