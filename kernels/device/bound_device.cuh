#pragma once

#include <cmath>

#include "acquisition/stale_bound.hpp"
#include "device/best_two.cuh"
#include "device/bound_view.hpp"
#include "device/score_device.cuh"
#include "formulas/exp_negative.hpp"
#include "formulas/race_order.hpp"

namespace carbo::kernels {

/// Above what log h, log s and their sum may err by, relative to their size; see log_h.
constexpr double ceiling_rounding = 1e-13;
/// Responses to come may err by so many times the largest error known.
constexpr double error_room = 4.0;

/// Σ factor · exp(−exponent), kept relative to the least exponent so that nothing underflows.
struct ImprovementSum {
  double least = HUGE_VAL;
  double sum = 0.0;

  __device__ void add(double factor, double exponent) {
    if (exponent < least) {
      sum = least == HUGE_VAL ? factor : fma(sum, exp_negative(least - exponent), factor);
      least = exponent;
    } else {
      sum = fma(factor, exp_negative(exponent - least), sum);
    }
  }
};

/// Upper bound on ‖z‖ of fantasy f over the points (version, horizon].
__device__ inline double stale_norm(const BoundView& view, int version, int f) {
  if (version >= view.horizon) return 0.0;
  const double last = view.squares[view.horizon * view.fantasies + f];
  return sqrt(last - view.squares[version * view.fantasies + f] + ceiling_rounding * last);
}

/// Upper bounds on the EI of all fantasies of member m.
__device__ inline void add_member(const BoundView& view, int m, std::size_t i, ImprovementSum& sum) {
  const ScoreMember& member = view.score.members[m];
  const BoundMember& bound = view.members[m];
  const int version = static_cast<int>(bound.versions[i]);
  const double known_error = view.now > 0 ? bound.response_errors[view.now - 1] : 0.0;
  const double error = error_room * fmax(known_error, bound.usual_error);
  const double floor = variance_floor(bound.signal_variance, static_cast<double>(bound.rows + view.horizon));
  const double variance = variance_at(member.bases, member.reductions, member.floor, i);
  const double sd = sqrt(variance + floor) + sqrt(static_cast<double>(view.horizon - version)) * error;
  const double log_sd = log(sd);
  const double inverse_sd = 1.0 / sd;
  const int a_member = view.fantasies / view.score.member_count;
  // Before the first fantasised point all fantasies of a member are the same one.
  const bool alike = member.fantasies == 1 && version >= view.horizon;
  const int different = alike ? 1 : a_member;
  for (int f = 0; f < different; ++f) {
    const int row = member.fantasies == 1 ? 0 : f;
    const double incumbent = view.score.incumbents[m * member.fantasies + row];
    const double u = (incumbent - member.means[row * member.stride + i]) * inverse_sd;
    const ImprovementBound one = improvement_bound(u, stale_norm(view, version, m * a_member + f));
    sum.add(alike ? one.factor * a_member : one.factor, one.exponent - log_sd);
  }
}

/// The score rises with the variance of the log cost where its moment counts, so that an unfinished one is a bound;
/// it falls where the mean cost counts, and 0 is one.
__device__ inline double highest_cost_term(const BoundView& view, std::size_t i) {
  const bool unfinished =
      view.cost_solved != nullptr && view.cost_solved[i] < static_cast<std::uint32_t>(view.cost_rows);
  const bool least = unfinished && view.score.moment == CostMoment::mean;
  return cost_term(view.score, i, least ? 0.0 : log_cost_variance(view.score, i));
}

/// Upper bound on the score of a candidate until the horizon; ∞ where nothing is known.
__device__ inline double ceiling_of(const BoundView& view, std::size_t i) {
  constexpr double log_sqrt_2pi = 0.9189385332046728;
  ImprovementSum sum;
  for (int m = 0; m < view.score.member_count; ++m) add_member(view, m, i, sum);
  const double log_count = log(static_cast<double>(view.fantasies)) + log_sqrt_2pi;
  const double value = (log(sum.sum) - log_count) - sum.least;
  const double ceiling = value + ceiling_rounding * (1.0 + fabs(value)) + view.shift + highest_cost_term(view, i);
  return isnan(ceiling) ? HUGE_VAL : ceiling;
}

/// Whether all that the score is made of is up to date and made of all rows.
__device__ inline bool is_exact(const BoundView& view, std::size_t i) {
  if (view.cost_solved != nullptr && view.cost_solved[i] < static_cast<std::uint32_t>(view.cost_rows)) return false;
  for (int m = 0; m < view.score.member_count; ++m) {
    const BoundMember& member = view.members[m];
    if (member.versions[i] != static_cast<std::uint32_t>(view.now)) return false;
    if (member.solved[i] < static_cast<std::uint32_t>(member.rows)) return false;
  }
  return true;
}

struct BoundStage {
  BestTwo exact[bound_block];
  BestTwo ceilings[bound_block];
};

/// Ceiling or exact score of this thread's candidate (none where i ≥ size), and the best of the block, whose number
/// among all is `block`.
__device__ inline void bound_block_of(const BoundView& view, std::size_t i, std::size_t size, std::size_t block,
                                      const BoundOutput& output, BoundStage& stage) {
  BestTwo exact = no_best();
  BestTwo ceilings = no_best();
  if (i < size) {
    double ceiling = -HUGE_VAL;
    if (may_be_picked(view.score, i)) {
      if (is_exact(view, i)) {
        offer(exact, score_of(view.score, i), static_cast<std::uint32_t>(i));
      } else {
        ceiling = ceiling_of(view, i);
        if (ceiling > -HUGE_VAL) offer(ceilings, ceiling, static_cast<std::uint32_t>(i));
      }
    }
    output.ceilings[i] = ceiling;
  }
  exact = block_best(exact, stage.exact);
  ceilings = block_best(ceilings, stage.ceilings);
  if (threadIdx.x != 0) return;
  output.best[block] = exact;
  output.seed_keys[block] = descending_key(ceilings.score[0]);
  output.seed_indices[block] = ceilings.index[0];
}

}  // namespace carbo::kernels
