#include "bench/backends/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bench/backends/tables.hpp"
#include "bench/support/markdown.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

std::string place(const Measurement& m) { return text(label(m.of), " on ", m.backend, ", ", sizes_text(m.of)); }

/// Of time: the lowest is that of the fastest run.
replay::Spread scaled(const replay::Spread& s, double factor) {
  return {factor * s.median, factor * s.lower, factor * s.upper, factor * s.lowest, factor * s.highest, s.samples};
}
replay::Spread inverse(const replay::Spread& s) {
  return {1 / s.median, 1 / s.upper, 1 / s.lower, 1 / s.highest, 1 / s.lowest, s.samples};
}

/// -1: less, 1: more, 0: neither, by the threshold and the spread.
int direction(const replay::Spread& before, const replay::Spread& after, double threshold) {
  const double difference = after.median - before.median;
  const bool apart = std::abs(difference) > before.interquartile_range() + after.interquartile_range();
  if (!apart || std::abs(difference) <= threshold * before.median) return 0;
  return difference > 0 ? 1 : -1;
}

/// A measurement in the machine's own time, and what that is counted by.
struct Normalised {
  Limit machine = Limit::none;
  double rate = 0;
  replay::Spread time{};  ///< seconds times the rate, to a factor that depends on the work alone
};

/// `beside`: by the limit that was measured beside each run. Absent where the report has no rate that the product
/// cannot change.
std::optional<Normalised> normalised(const Report& report, const Measurement& m, bool beside) {
  if (beside) return Normalised{m.work.limit, m.limit_rate, inverse(*m.share)};
  const bool on_cpu = m.backend == "cpu";
  if (!on_cpu && !report.device_limits) return {};
  const double rate = on_cpu ? report.limits.gemm_flops : report.device_limits->gemm_flops;
  if (!(rate > 0)) return {};
  return Normalised{Limit::gemm, rate, scaled(m.seconds, rate)};
}

/// Whether limits mean the same in both reports.
bool same_definition(const Report& before, const Measurement& old, const Report& after, const Measurement& m) {
  const char* const probe = m.backend == "cpu" ? "cpu_gemm" : "device_limit_size";
  const bool same_probe = fact(before, probe) == fact(after, probe);
  return same_probe && old.work.limit == m.work.limit && old.work.limit_work == m.work.limit_work &&
         old.work.unit == m.work.unit;
}

Verdict verdict_of(int seconds, std::optional<int> without_machine) {
  if (seconds == 0) return Verdict::unchanged;
  const bool confirmed = without_machine.value_or(seconds) == seconds;
  if (seconds > 0) return confirmed ? Verdict::slower : Verdict::slower_machine;
  return confirmed ? Verdict::faster : Verdict::faster_machine;
}

/// `by_limits`: the limits of the two mean the same.
Change change_of(const Report& before, const Measurement& old, const Report& after, const Measurement& m,
                 bool by_limits, double threshold) {
  Change change{.of = m.of, .backend = m.backend, .before = old.seconds.median, .after = m.seconds.median};
  change.seconds_ratio = change.after / change.before;
  if (by_limits && old.share && m.share) {
    change.limit = m.work.limit;
    change.limit_ratio = m.limit_rate / old.limit_rate;
  }
  std::optional<int> without_machine;
  const bool beside = change.limit == Limit::gemm || change.limit == Limit::memory;
  const auto was = normalised(before, old, beside), is = normalised(after, m, beside);
  if (by_limits && was && is) {
    change.machine = is->machine;
    change.machine_ratio = is->rate / was->rate;
    change.normalised_ratio = is->time.median / was->time.median;
    without_machine = direction(was->time, is->time, threshold);
  }
  change.verdict = verdict_of(direction(old.seconds, m.seconds, threshold), without_machine);
  return change;
}

/// Cases of `report` that `other` has neither measured nor tried.
std::vector<std::string> missing(const Report& report, const Report& other) {
  std::vector<std::string> result;
  for (const Measurement& m : report.measurements) {
    const bool tried = std::any_of(other.failures.begin(), other.failures.end(),
                                   [&](const Failure& f) { return f.of == m.of && f.backend == m.backend; });
    if (!tried && find(other, m.of, m.backend) == nullptr) result.push_back(place(m));
  }
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

std::vector<std::string> differences(const Report& before, const Report& after) {
  std::vector<std::string> result;
  for (const char* key :
       {"cpu", "cores", "cpu_level", "cpu_gemm", "cpu_governor", "device", "driver", "device_limit_size", "flags"})
    if (fact(before, key) != fact(after, key))
      result.push_back(text(key, " differs: ", fact(before, key), " before, ", fact(after, key), " after"));
  return result;
}

std::string list(const char* title, const std::vector<std::string>& entries) {
  if (entries.empty()) return "";
  std::string result = text("\n", title, "\n\n");
  for (const std::string& entry : entries) result += text("- ", entry, "\n");
  return result;
}

std::string ratio_cell(const std::optional<double>& ratio, Limit of = Limit::none) {
  if (!ratio) return "–";
  return format("%.3f", *ratio) + (of == Limit::none ? "" : text(" ", name_of(of)));
}

const char* text_of(Verdict verdict) {
  constexpr std::array texts{"same", "SLOWER", "faster", "slower, and so is the machine",
                             "faster, and so is the machine"};
  return texts[static_cast<std::size_t>(verdict)];
}

}  // namespace

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(), [&](const Change& c) { return c.verdict == verdict; }));
}

bool Comparison::worse() const { return count(Verdict::slower) > 0 || !failing.empty() || !missing.empty(); }

Comparison compare(const Report& before, const Report& after, double threshold) {
  Comparison result;
  result.warnings = differences(before, after);
  for (const Measurement& m : after.measurements) {
    const Measurement* const old = find(before, m.of, m.backend);
    if (old == nullptr) continue;
    const bool by_limits = same_definition(before, *old, after, m);
    if (!by_limits)
      result.warnings.push_back(text(place(m), ": its limit or its work is defined in another way; seconds alone"));
    result.changes.push_back(change_of(before, *old, after, m, by_limits, threshold));
  }
  result.missing = missing(before, after);
  for (const Measurement& m : after.measurements)
    if (find(before, m.of, m.backend) == nullptr) result.only_after.push_back(place(m));
  result.failing = failing(before, after);
  for (const auto& more : {few_samples(before, "earlier"), few_samples(after, "later")})
    result.warnings.insert(result.warnings.end(), more.begin(), more.end());
  return result;
}

std::string comparison_text(const Comparison& comparison, double threshold) {
  TextTable table{
      {"job", "sizes", "backend", "before", "after", "time", "its limit", "machine", "time × machine", "verdict"}};
  for (const Change& c : comparison.changes)
    table.push_back({label(c.of), sizes_text(c.of), c.backend, seconds_text(c.before), seconds_text(c.after),
                     format("%.3f", c.seconds_ratio), ratio_cell(c.limit_ratio, c.limit),
                     ratio_cell(c.machine_ratio, c.machine), ratio_cell(c.normalised_ratio), text_of(c.verdict)});
  std::string result = list("Take the verdicts with care:", comparison.warnings);
  if (table.size() > 1) result += "\n" + markdown(table);
  result += list("FAILED in the later report, but ran in the earlier one:", comparison.failing);
  result += list("MISSING in the later report, but ran in the earlier one:", comparison.missing);
  result += list("Only in the later report:", comparison.only_after);
  const auto count = [&](Verdict verdict) { return text(comparison.count(verdict)); };
  return result + text("\n", comparison.changes.size(), " compared: ", count(Verdict::slower), " slower, ",
                       count(Verdict::faster), " faster; with the machine ", count(Verdict::slower_machine),
                       " slower, ", count(Verdict::faster_machine),
                       " faster.\nRatios are after / before, of median times and of rates. A case is flagged where "
                       "its time, and"
                       " its time × the machine's rate too, differ by more than ",
                       100 * threshold, " % and by more than both interquartile ranges together.\n");
}

}  // namespace carbo::bench
