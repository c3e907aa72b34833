#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/backends/prediction.hpp"
#include "bench/backends/report.hpp"

namespace carbo::bench {

/// Of the JSON; README.md describes it. Files of another version are refused.
inline constexpr int schema_version = 1;

/// A file that is not there, is not JSON, or is not a report of this version.
class UnreadableReport : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string json_text(const Report& report, const std::vector<Prediction>& predictions);
/// Measurements, failures, limits and environment; predictions and crossovers are not read back. `name` is used in
/// messages. Throws UnreadableReport.
Report report_from_json(const std::string& text, const std::string& name);
Report read_report(const std::filesystem::path& file);

/// One row a measurement.
std::string results_csv(const Report& report);

}  // namespace carbo::bench
