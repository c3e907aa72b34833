#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// Smallest change of the medians that is flagged, whatever their spread.
inline constexpr double least_change = 0.05;

enum class Verdict {
  unchanged,
  slower,
  faster,
  slower_machine,  ///< more seconds, but not beyond what the machine lost
  faster_machine,  ///< fewer seconds, but not beyond what the machine gained
};

/// One case on one backend in two reports. All ratios are after / before.
struct Change {
  Case of{};
  std::string backend{};
  double before = 0;  ///< median seconds
  double after = 0;
  double seconds_ratio = 1;
  Limit limit = Limit::none;            ///< the case's own
  std::optional<double> limit_ratio{};  ///< its rate; absent where a report has no share of it
  /// Rate of what the product cannot change; absent where one report has none, or not of the same definition.
  std::optional<double> machine_ratio{};
  Limit machine = Limit::none;  ///< whose rate that is: GEMM or memory
  /// Seconds that the machine's rate accounts for left out; absent as machine_ratio is.
  std::optional<double> normalised_ratio{};
  Verdict verdict = Verdict::unchanged;
};

struct Comparison {
  std::vector<Change> changes{};       ///< of all cases in both reports, in the order of the later one
  std::vector<std::string> failing{};  ///< measured before, could not be run after
  std::vector<std::string> missing{};  ///< measured before, neither measured nor failed after
  std::vector<std::string> only_after{};
  std::vector<std::string> warnings{};  ///< what else differs between the two

  std::size_t count(Verdict verdict) const;
  /// Something is slower, or is there no more.
  bool worse() const;
};

/// Quartiles of fewer runs say little of the spread.
inline constexpr std::size_t least_samples = 3;

/// A figure has changed where the medians differ by more than `threshold` of the earlier one and [median ±
/// interquartile range] of the two do not overlap. A case is slower or faster where its seconds have changed, and
/// normalised by the machine's rate too: by the limit beside each run where that is GEMM or memory, by the report's
/// GEMM rate where it is the product's own pass, or none.
Comparison compare(const Report& before, const Report& after, double threshold = least_change);

std::string comparison_text(const Comparison& comparison, double threshold);

}  // namespace carbo::bench
