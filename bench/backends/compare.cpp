#include "bench/backends/compare.hpp"

#include <algorithm>
#include <cmath>

#include "bench/backends/tables.hpp"
#include "bench/support/markdown.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

bool apart(const Spread& a, const Spread& b) {
  return std::abs(a.median - b.median) > a.interquartile_range() + b.interquartile_range();
}

Change change_of(const Measurement& before, const Measurement& after, double threshold) {
  Change change{.of = after.of, .backend = after.backend, .by_share = before.share && after.share};
  const Spread& old_figure = change.by_share ? *before.share : before.seconds;
  const Spread& new_figure = change.by_share ? *after.share : after.seconds;
  change.before = old_figure.median;
  change.after = new_figure.median;
  change.ratio = change.by_share ? change.before / change.after : change.after / change.before;
  if (std::abs(change.ratio - 1) > threshold && apart(old_figure, new_figure))
    change.verdict = change.ratio > 1 ? Verdict::slower : Verdict::faster;
  return change;
}

std::string place(const Measurement& m) { return text(label(m.of), " on ", m.backend, ", ", sizes_text(m.of)); }

/// Cases of `report` that `other` has not.
std::vector<std::string> missing(const Report& report, const Report& other) {
  std::vector<std::string> result;
  for (const Measurement& m : report.measurements)
    if (find(other, m.of, m.backend) == nullptr) result.push_back(place(m));
  return result;
}

std::vector<std::string> failing(const Report& before, const Report& after) {
  std::vector<std::string> result;
  for (const Failure& failure : after.failures)
    if (const Measurement* const old = find(before, failure.of, failure.backend))
      result.push_back(text(place(*old), ": ", failure.reason));
  return result;
}

std::vector<std::string> few_samples(const Report& report, const char* which) {
  const auto few = std::count_if(report.measurements.begin(), report.measurements.end(),
                                 [](const Measurement& m) { return m.seconds.samples < least_samples; });
  if (few == 0) return {};
  return {
      text(few, " results of the ", which, " report have fewer than ", least_samples, " runs, too few for a spread")};
}

std::vector<std::string> differences(const Environment& before, const Environment& after) {
  const auto value = [](const Environment& environment, const char* key) {
    const auto found = environment.find(key);
    return found == environment.end() ? std::string("unknown") : found->second;
  };
  std::vector<std::string> result;
  for (const char* key :
       {"cpu", "cores", "cpu_governor", "device", "driver", "cuda_reason", "device_limit_size", "flags"})
    if (value(before, key) != value(after, key))
      result.push_back(text(key, " differs: ", value(before, key), " before, ", value(after, key), " after"));
  return result;
}

std::string list(const char* title, const std::vector<std::string>& entries) {
  if (entries.empty()) return "";
  std::string result = text("\n", title, "\n\n");
  for (const std::string& entry : entries) result += text("- ", entry, "\n");
  return result;
}

}  // namespace

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(), [&](const Change& c) { return c.verdict == verdict; }));
}

Comparison compare(const Report& before, const Report& after, double threshold) {
  Comparison result;
  for (const Measurement& m : after.measurements)
    if (const Measurement* const old = find(before, m.of, m.backend))
      result.changes.push_back(change_of(*old, m, threshold));
  result.only_before = missing(before, after);
  result.only_after = missing(after, before);
  result.failing = failing(before, after);
  result.warnings = differences(before.environment, after.environment);
  for (const auto& more : {few_samples(before, "earlier"), few_samples(after, "later")})
    result.warnings.insert(result.warnings.end(), more.begin(), more.end());
  return result;
}

std::string comparison_text(const Comparison& comparison, double threshold) {
  TextTable table{{"job", "sizes", "backend", "compared", "before", "after", "time after / before", "verdict"}};
  for (const Change& c : comparison.changes) {
    const auto figure = [&](double value) { return c.by_share ? format("%.3f", value) : seconds_text(value); };
    table.push_back({label(c.of), sizes_text(c.of), c.backend, c.by_share ? "share of the limit" : "seconds",
                     figure(c.before), figure(c.after), format("%.3f", c.ratio),
                     c.verdict == Verdict::slower   ? "SLOWER"
                     : c.verdict == Verdict::faster ? "faster"
                                                    : "same"});
  }
  std::string result = list("Take the verdicts with care:", comparison.warnings);
  if (table.size() > 1) result += "\n" + markdown(table);
  result += list("FAILED in the later report, but ran in the earlier one:", comparison.failing);
  result += list("Only in the earlier report:", comparison.only_before);
  result += list("Only in the later report:", comparison.only_after);
  return result +
         text(
             "\n", comparison.changes.size(), " compared: ", comparison.count(Verdict::slower), " slower, ",
             comparison.count(Verdict::faster), " faster. A case is flagged where the medians differ by more than ",
             100 * threshold,
             " % and median ± interquartile range of the two runs do not overlap; shares of the limit measured in the"
             " same run are compared where there are any, seconds otherwise.\n");
}

}  // namespace carbo::bench
