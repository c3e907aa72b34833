#pragma once

#include <cstddef>
#include <optional>

#include <carbo/options.hpp>
#include <carbo/run_state.hpp>

namespace carbo::internal {

/// What decides whether a run is over.
struct RunTotals {
  std::optional<double> best{};       ///< objective of the best success
  std::size_t failures_in_a_row = 0;  ///< see History
  std::size_t evaluated = 0;          ///< in this run, failures included
  std::size_t pending = 0;
  double spent = 0;
  std::optional<StopReason> blocked{};  ///< why the last `ask` found nothing
};

StopReason stop_reason(const Options& options, const RunTotals& totals) noexcept;

}  // namespace carbo::internal
