#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// Smallest change of the medians that is flagged, whatever their spread.
inline constexpr double least_change = 0.05;

enum class Verdict { unchanged, slower, faster };

/// One case on one backend in two reports.
struct Change {
  Case of{};
  std::string backend{};
  bool by_share = false;  ///< compared by the share of the limit; by seconds where one report has none
  double before = 0;      ///< median: seconds, or share
  double after = 0;
  /// Time after over time before, by the figure compared: a machine that was slower as a whole does not count where
  /// shares are compared.
  double ratio = 1;
  Verdict verdict = Verdict::unchanged;
};

struct Comparison {
  std::vector<Change> changes{};       ///< of all cases in both reports, in the order of the later one
  std::vector<std::string> failing{};  ///< measured before, could not be run after
  std::vector<std::string> only_before{};
  std::vector<std::string> only_after{};
  std::vector<std::string> warnings{};  ///< what else differs between the two

  std::size_t count(Verdict verdict) const;
};

/// Quartiles of fewer runs say little of the spread.
inline constexpr std::size_t least_samples = 3;

/// Flags a case where the medians differ by more than `threshold` of the earlier one and [median ± interquartile
/// range] of the two do not overlap.
Comparison compare(const Report& before, const Report& after, double threshold = least_change);

std::string comparison_text(const Comparison& comparison, double threshold);

}  // namespace carbo::bench
