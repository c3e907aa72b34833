#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <carbo/run_state.hpp>
#include <carbo/space.hpp>

namespace carbo {

/// What an evaluation returned.
struct Evaluation {
  double objective = 0;  ///< finite
  double cost = 0;       ///< in the unit of the budget, above 0 and finite
};

/// Whether a told result was paid for out of this run's budget.
enum class Origin { this_run, prior };

enum class ObservationStatus { succeeded, failed, timed_out };

/// Everything that is known of one evaluation. Never dropped.
struct Observation {
  std::optional<std::uint64_t> id;  ///< absent where the point was neither suggested nor adopted
  Configuration configuration;
  ObservationStatus status = ObservationStatus::succeeded;
  Origin origin = Origin::this_run;
  double objective = 0;  ///< NaN unless succeeded
  double cost = 0;       ///< NaN where it is not known (prior data)
  std::string reason;    ///< of a failure
  /// Number of the `ask` that suggested it: evaluations of one batch ran at the same time. Absent: nothing ran beside
  /// it.
  std::optional<std::uint64_t> batch{};
  /// The worker that it ran on; `longest` counts the busiest one: of a batch, or of an asynchronous run. Absent: one
  /// of its own.
  std::optional<std::size_t> slot{};
  /// Of the run that suggested it, so that a run that goes on knows where its design ended. Absent where it was not
  /// suggested.
  std::optional<Phase> phase{};
};

}  // namespace carbo
