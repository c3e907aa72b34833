#pragma once

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

  friend bool operator==(const AcquisitionSpec&, const AcquisitionSpec&) = default;
};

/// Samples of the minimum; none where there are none.
inline std::span<const double> extremes_of(const AcquisitionSpec& acquisition) {
  return {acquisition.extremes, acquisition.extremes == nullptr ? std::size_t{0} : std::size_t{extreme_samples}};
}

/// The log cost of one candidate, as it is predicted.
struct LogCost {
  bool counts = false;  ///< false: there is no cost
  double mean = 0;
  double variance = 0;
};

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
