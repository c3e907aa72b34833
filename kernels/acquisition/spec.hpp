#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include <carbo/acquisition.hpp>

#include "formulas/host_device.hpp"

namespace carbo::kernels {

/// How the spread of a predicted log cost enters the score.
enum class CostMoment { median, mean, exact };

/// Samples of the minimum that an acquisition may ask for.
constexpr int extreme_samples = 10;

/// Which acquisition scores candidates, with all that it needs to know.
struct AcquisitionSpec {
  Acquisition which = Acquisition::ei_cool;
  double parameter = 0;  ///< what it means is the acquisition's own: see its file
  CostMoment moment = CostMoment::median;
  /// `extreme_samples` values of the objective's minimum over Ω̃, standardised, in memory that whoever scores can
  /// read; null where the acquisition does not look at them. Borrowed.
  const double* extremes = nullptr;
  /// Log of what the round lasts that a pick joins, which costs its longest evaluation; −∞: it joins none.
  double round_log_cost = -HUGE_VAL;
  double waiting = 0;  ///< evaluations of the round, which wait for one that lasts longer

  friend bool operator==(const AcquisitionSpec&, const AcquisitionSpec&) = default;
};

/// Samples of the minimum; none where there are none.
inline std::span<const double> extremes_of(const AcquisitionSpec& acquisition) {
  return {acquisition.extremes, acquisition.extremes == nullptr ? std::size_t{0} : std::size_t{extreme_samples}};
}

/// Whether no candidate scores higher under an acquisition than under one before: all that may differ is that there
/// was no round, or that more wait in one that lasts no longer.
inline bool scores_no_higher(const AcquisitionSpec& acquisition, AcquisitionSpec before) {
  const bool joins = before.round_log_cost == -HUGE_VAL;
  if (!joins && (acquisition.round_log_cost != before.round_log_cost || acquisition.waiting < before.waiting))
    return false;
  before.round_log_cost = acquisition.round_log_cost;
  before.waiting = acquisition.waiting;
  return acquisition == before;
}

/// The log cost of one candidate, as it is predicted.
struct LogCost {
  bool counts = false;  ///< false: there is no cost
  double mean = 0;
  double variance = 0;
};

/// What a log cost counts as beside the others of a round: what ends with them lasts as long as the round. What lasts
/// longer keeps them waiting. k of them that promise as much as it does (V = k EI) give a round of length c the rate
/// (V + EI) / c, whose logarithm falls with log c as fast as it rises with log EI / (k + 1): each of them counts the
/// time beyond once more. Rises with the log cost.
CARBO_HOST_DEVICE inline double counted_log_cost(const AcquisitionSpec& acquisition, double log_cost) {
  const double round = acquisition.round_log_cost;
  if (!(round > -HUGE_VAL)) return log_cost;
  const double beyond = log_cost - round;
  return beyond <= 0.0 ? round : round + (1.0 + acquisition.waiting) * beyond;
}

/// What decides the parameter of an acquisition, between two asks of a run.
struct RunState {
  double budget = 0;
  double used = 0;                ///< of the budget
  double used_at_design_end = 0;  ///< at most `used`
  double objective_scale = 1;     ///< units of the (transformed) objective that one standardised unit is worth
  double typical_cost = 1;        ///< geometric mean of what was evaluated
  AcquisitionParameters given{};  ///< by the caller
  /// Of the search before this one, where there was one: its parameter, the score of its first pick, and the
  /// incumbent then (standardised).
  bool searched = false;
  double parameter = 0;
  double score = 0;
  double incumbent = 0;
};

}  // namespace carbo::kernels
