#pragma once

#include <carbo/options.hpp>

#include "bench/backends/limits.hpp"
#include "bench/backends/report.hpp"

namespace carbo::bench {

struct MeasureOptions {
  BackendOptions backend{};
  std::size_t repeats = 5;     ///< timed runs at least, after one to warm up
  double least_seconds = 0.1;  ///< short cases run more often, until they have taken this long together
  std::size_t most_repeats = 21;
  bool against_limit = true;   ///< the limit of the CPU or the device is measured right before each run
  ProbeMaker device_probes{};  ///< null: no limit of the device is measured
};

/// Times the case on the backend of `options`. Throws what the backend throws.
Measurement measure(const Case& c, const MeasureOptions& options);

}  // namespace carbo::bench
