#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bench/backends/report.hpp"

/// Fabricated reports of the backends' benchmark.
namespace bench_reports {

using namespace carbo::bench;

/// Quartiles a tenth of the median apart, the extremes twice as far.
inline carbo::replay::Spread spread_round(double median, double width = 0.1) {
  return {median, median * (1 - width / 2), median * (1 + width / 2), median * (1 - width), median * (1 + width), 7};
}

inline Measurement measurement(Job job, const std::string& backend, std::size_t m, double seconds) {
  Measurement result;
  result.of = {job, "", {.n = 100, .m = m, .d = 6}};
  result.backend = backend;
  result.seconds = spread_round(seconds);
  result.cpu_seconds = 2 * seconds;
  result.work = nominal_work(result.of);
  return result;
}

inline Report report_of(std::vector<Measurement> measurements) {
  Report report;
  report.environment = {{"cpu", "Model, with \"quotes\""}, {"flags", "-O3"}, {"commit", "abc"}};
  report.limits = {1e11, 2e10, 5e8};
  report.measurements = std::move(measurements);
  return report;
}

}  // namespace bench_reports
