#pragma once

#include <cstdint>

#include "device/score_view.hpp"

namespace carbo::kernels {

inline constexpr std::uint32_t no_candidate = 0xffffffffu;
/// Candidates that share one entry of a BoundOutput.
inline constexpr int bound_block = 128;

/// The best two of some candidates: highest score, then lowest index. `no_candidate` where there are fewer; NaN never
/// enters.
struct BestTwo {
  double score[2];
  std::uint32_t index[2];
};

/// What a ceiling needs beside the score's own members, one an objective GP.
struct BoundMember {
  const std::uint32_t* versions = nullptr;  ///< fantasised points that a candidate has seen
  const std::uint32_t* solved = nullptr;    ///< rows that its variance is made of
  const double* response_errors = nullptr;  ///< see GpView
  double signal_variance = 1;
  double usual_error = 0;  ///< of a response, before any is known
  int rows = 0;            ///< observed rows
};

struct BoundView {
  ScoreView score;
  const BoundMember* members = nullptr;
  const double* squares = nullptr;  ///< Σ z² over the points before point t: t · fantasies + f, up to the horizon
  int fantasies = 1;                ///< n_f over all members
  int now = 0;                      ///< fantasised points
  int horizon = 0;                  ///< points up to which ceilings hold, at least `now`
  /// Null where the log cost is finished everywhere: its variance, and its mean where that may be a bound.
  const std::uint32_t* cost_solved = nullptr;
  int cost_rows = 0;
  double shift = 0;          ///< nats added to every ceiling
  bool known_seeds = false;  ///< seeds are finished candidates that have missed points; else whoever is not exact
};

/// By blocks of bound_block candidates, (size + bound_block − 1) / bound_block of them.
struct BoundOutput {
  double* ceilings = nullptr;             ///< by candidate; −∞ where it may not be picked or its score is exact
  std::uint64_t* seed_keys = nullptr;     ///< descending_key of the highest ceiling of a seed
  std::uint32_t* seed_indices = nullptr;  ///< its candidate, or no_candidate
  BestTwo* best = nullptr;                ///< of exact scores
  double* highest = nullptr;              ///< of all ceilings
};

}  // namespace carbo::kernels
