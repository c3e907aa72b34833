#include "bench/backends/report.hpp"

#include <algorithm>

namespace carbo::bench {

std::string fact(const Report& report, const std::string& key) {
  const auto found = report.environment.find(key);
  return found == report.environment.end() ? "unknown" : found->second;
}

const Measurement* find(const Report& report, const Case& of, const std::string& backend) {
  const auto found = std::find_if(report.measurements.begin(), report.measurements.end(),
                                  [&](const Measurement& m) { return m.of == of && m.backend == backend; });
  return found == report.measurements.end() ? nullptr : &*found;
}

}  // namespace carbo::bench
