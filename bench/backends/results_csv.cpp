#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/backends/results.hpp"
#include "replay/csv.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

/// Without what a CSV field may not hold.
std::string plain(std::string field) {
  std::replace_if(
      field.begin(), field.end(), [](char c) { return c == ',' || c == '"' || c == '\n'; }, ';');
  return field;
}

using Column = std::pair<const char*, std::function<std::string(const Measurement&)>>;

std::vector<Column> columns_of_the_case() {
  return {{"job", [](const auto& m) { return name_of(m.of.job); }},
          {"variant", [](const auto& m) { return m.of.variant; }},
          {"backend", [](const auto& m) { return m.backend; }},
          {"n", [](const auto& m) { return text(m.of.sizes.n); }},
          {"m", [](const auto& m) { return text(m.of.sizes.m); }},
          {"d", [](const auto& m) { return text(m.of.sizes.d); }},
          {"b", [](const auto& m) { return text(m.of.sizes.b); }},
          {"fantasies", [](const auto& m) { return text(m.of.sizes.fantasies); }},
          {"restarts", [](const auto& m) { return text(m.of.sizes.restarts); }}};
}

std::vector<Column> columns_of_the_time() {
  return {{"median_seconds", [](const auto& m) { return replay::exact(m.seconds.median); }},
          {"lower_quartile", [](const auto& m) { return replay::exact(m.seconds.lower); }},
          {"upper_quartile", [](const auto& m) { return replay::exact(m.seconds.upper); }},
          {"lowest", [](const auto& m) { return replay::exact(m.seconds.lowest); }},
          {"highest", [](const auto& m) { return replay::exact(m.seconds.highest); }},
          {"samples", [](const auto& m) { return text(m.seconds.samples); }},
          {"cpu_seconds", [](const auto& m) { return replay::exact(m.cpu_seconds); }}};
}

std::vector<Column> columns_of_the_work() {
  return {{"rate", [](const auto& m) { return replay::exact(m.rate()); }},
          {"unit", [](const auto& m) { return m.work.unit; }},
          {"flops", [](const auto& m) { return replay::exact(m.work.flops); }},
          {"bytes", [](const auto& m) { return replay::exact(m.work.bytes); }},
          {"limit", [](const auto& m) { return name_of(m.work.limit); }},
          {"limit_rate", [](const auto& m) { return replay::exact(m.limit_rate); }},
          {"share_of_limit", [](const auto& m) { return m.share ? replay::exact(m.share->median) : ""; }},
          {"share_lower_quartile", [](const auto& m) { return m.share ? replay::exact(m.share->lower) : ""; }},
          {"share_upper_quartile", [](const auto& m) { return m.share ? replay::exact(m.share->upper) : ""; }},
          {"peak_bytes", [](const auto& m) { return text(m.peak_bytes); }}};
}

/// The same in every row: a row says where it was measured.
std::vector<Column> columns_of_the_environment(const Environment& environment) {
  std::vector<Column> columns;
  for (const auto& [name, key] : {std::pair{"cpu", "cpu"},
                                  {"device", "device"},
                                  {"driver", "driver"},
                                  {"device_clocks", "device_clocks"},
                                  {"compiler", "flags"},
                                  {"commit", "commit"}}) {
    const auto found = environment.find(key);
    std::string value = found == environment.end() ? "unknown" : plain(found->second);
    columns.emplace_back(name, [value = std::move(value)](const Measurement&) { return value; });
  }
  return columns;
}

}  // namespace

std::string results_csv(const Report& report) {
  std::vector<Column> columns = columns_of_the_case();
  for (const auto& more :
       {columns_of_the_time(), columns_of_the_work(), columns_of_the_environment(report.environment)})
    columns.insert(columns.end(), more.begin(), more.end());
  replay::CsvRow header;
  for (const auto& [name, value] : columns) header.push_back(name);
  std::vector<replay::CsvRow> rows;
  for (const Measurement& m : report.measurements) {
    rows.emplace_back();
    for (const auto& [name, value] : columns) rows.back().push_back(value(m));
  }
  return replay::csv_text(header, rows);
}

}  // namespace carbo::bench
