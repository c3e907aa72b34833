#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/backends/job.hpp"
#include "bench/backends/model.hpp"
#include "replay/statistics.hpp"

namespace carbo::bench {

/// What one case took on one backend.
struct Measurement {
  Case of{};
  std::string backend{};     ///< "cpu" or "cuda"
  replay::Spread seconds{};  ///< wall clock
  double cpu_seconds = 0;    ///< of all threads, median
  NominalWork work{};
  double limit_rate = 0;  ///< of the limit in the same run, median, in its units a second; 0: not measured
  std::optional<replay::Spread> share{};  ///< of the limit's rate, each run against the limit measured beside it
  std::size_t peak_bytes = 0;             ///< of host memory above what was resident before the case; 0: not known
  std::optional<PickShares> shares{};     ///< of a search

  /// Units of work a second.
  double rate() const { return work.units / seconds.median; }
};

/// A case that could not be run.
struct Failure {
  Case of{};
  std::string backend{};
  std::string reason{};
};

/// The limits of a CPU or a device: a unit of work a second each.
struct MachineLimits {
  double gemm_flops = 0;
  double memory_bytes = 0;
  double matern_entries = 0;  ///< six columns
  double fma_flops = 0;       ///< 0: not measured
};

/// Where and of what a report was made; README.md lists the keys.
using Environment = std::map<std::string, std::string>;

struct Report {
  Environment environment{};
  MachineLimits limits{};  ///< of the CPU
  std::optional<MachineLimits> device_limits{};
  std::vector<Measurement> measurements{};
  std::vector<Failure> failures{};
};

/// Of the environment; "unknown" where it is not told.
std::string fact(const Report& report, const std::string& key);

/// Null where there is none.
const Measurement* find(const Report& report, const Case& of, const std::string& backend);

}  // namespace carbo::bench
