#include "bench/hpo/live_report.hpp"

#include "bench/support/markdown.hpp"
#include "replay/csv.hpp"
#include "replay/methods.hpp"

namespace carbo::hpo {

namespace {

using bench::format;
using bench::percent;

std::string ends_at(const replay::Summary& summary, const std::string& name) {
  const replay::MethodSummary& method = *summary.find(name);
  return format("%.4f (%.0f)", summary.cell.problem->optimum + method.middle.back(), method.evaluations);
}

replay::SavingsEstimate against_ei(const replay::Summary& summary) {
  return replay::estimate_savings(summary.find(replay::ours)->traces, {summary.find("ei")->traces});
}

std::string with_range(const replay::SavingsEstimate& saving) {
  return percent(saving.share) + " (" + percent(saving.low) + " to " + percent(saving.high) + ")";
}

/// "yes" where the live figure lies within the replay's range or the other way round.
std::string agrees(const replay::SavingsEstimate& replayed, const replay::SavingsEstimate& live) {
  const bool within = (live.share >= replayed.low && live.share <= replayed.high) ||
                      (replayed.share >= live.low && replayed.share <= live.high);
  if (within) return "yes";
  return (live.share > 0) == (replayed.share > 0) ? "sign alone" : "no";
}

}  // namespace

std::string live_text(const std::vector<LiveComparison>& comparisons) {
  bench::TextTable table{{"problem", "EI, replay", "EI, live", "CArBO, replay", "CArBO, live",
                          "saving against EI, replay", "live", "agrees"}};
  for (const LiveComparison& comparison : comparisons) {
    const auto replayed = against_ei(comparison.replayed), live = against_ei(comparison.live);
    table.push_back({comparison.live.cell.problem->title, ends_at(comparison.replayed, "ei"),
                     ends_at(comparison.live, "ei"), ends_at(comparison.replayed, replay::ours),
                     ends_at(comparison.live, replay::ours), with_range(replayed), with_range(live),
                     agrees(replayed, live)});
  }
  return "## Live check\n\n"
         "Median final error, in brackets the median number of evaluations; saving with its 5 to 95 % range over\n"
         "resamples of the seeds. Replay: rows of the table are the candidates, their cost is looked up. Live: the\n"
         "whole space, trained and timed when it is suggested.\n\n" +
         bench::markdown(table);
}

void write_live_report(const std::filesystem::path& folder, const std::vector<LiveComparison>& comparisons) {
  replay::replace_file(folder / "live.md", live_text(comparisons));
}

}  // namespace carbo::hpo
