#include "bench/backends/prediction.hpp"

#include <algorithm>
#include <tuple>

#include "bench/backends/model_search.hpp"
#include "bench/backends/tables.hpp"
#include "bench/support/markdown.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

/// The model's `fit` is one step, its `suggest` finds the models fitted.
bool modelled(const Case& c) { return c.variant != "whole" && c.variant != "with fit"; }

/// The case with the most candidates, then picks; batches before all other jobs.
const Prediction& largest(const std::vector<Prediction>& predictions) {
  const auto size = [](const Prediction& p) {
    const JobSizes& s = p.of.sizes;
    return std::tuple(p.of.job == Job::batch, s.m, s.n, s.b, s.d);
  };
  return *std::max_element(predictions.begin(), predictions.end(),
                           [&](const Prediction& a, const Prediction& b) { return size(a) < size(b); });
}

std::string stage_table(const Prediction& p, const std::vector<Card>& cards) {
  TextTable table{{"stage", "flops", "bytes", "bytes asked for", "launches", "library calls", "waits",
                   "bytes to device", "bytes to host"}};
  for (const Card& card : cards) table.front().push_back(card.name + ", model");
  for (const StageWork& stage : p.stages) {
    table.push_back({stage.stage, quantity_text(stage.flops, "flop"), quantity_text(stage.bytes, "B"),
                     quantity_text(stage.requested_bytes, "B"), grouped(stage.launches), grouped(stage.library_calls),
                     grouped(stage.waits), quantity_text(stage.bytes_to_device, "B"),
                     quantity_text(stage.bytes_to_host, "B")});
    for (const Card& card : cards) table.back().push_back(seconds_text(modelled_seconds(stage, card)));
  }
  return text("Stages of ", label(p.of), ", ", sizes_text(p.of), ":\n\n", markdown(table));
}

std::string assumptions() {
  return "- Assumed: the full rates of data sheets, and the latencies above. What the host does is left out.\n"
         "- Bytes: every buffer once a pass, by reckoning, and what the times follow from. Bytes asked for: by all"
         " threads, caches not counted; these are what tests hold against the emulator's counters.\n"
         "- A search is taken to prune as it did on the emulated device; bench/backends/README.md says how"
         " much, at which sizes it was seen, and how far flops and bytes were off with it. Other data prune"
         " otherwise.\n"
         "- Searches are taken to look at means in float32 first. Where noise is low they look in pairs of float32, "
         "or,"
         " where the card's float64 is not slow, in float64.\n";
}

/// What the jobs find done.
std::string inverse_note(std::size_t n, const std::vector<Card>& cards) {
  const StageWork work = device_work::inverse(static_cast<double>(n));
  std::string note = text(
      "- A factor keeps the inverse of L. Jobs find it made; the first sweep or search after a fit"
      " makes it, with n = ",
      grouped(static_cast<double>(n)), " in");
  for (const Card& card : cards) note += text(" ", seconds_text(modelled_seconds(work, card)), " (", card.name, ")");
  return note + ".\n";
}

/// How a case's search looks at means first: usually in float32, and where noise is low in pairs or in float64.
struct Look {
  const char* words;
  bool bounded;
  bool in_pairs;
};
constexpr Look usual_look{"", true, false};

std::vector<Look> looks_of(const Case& c) {
  const bool one_search = c.job == Job::pick || c.job == Job::batch;
  if (!one_search || !device_work::is_screened(device_work::shape_of(c.sizes))) return {usual_look};
  return {usual_look, {"in float pairs", true, true}, {"in float64", false, false}};
}

Prediction prediction_of(const Case& of, const Look& look, const Card& card) {
  PickShares shares = usual_shares(of.job, of.sizes);
  shares.pairs_possible = takes_pairs(card);
  shares.in_pairs = look.in_pairs && shares.pairs_possible;
  if (!look.bounded || look.in_pairs != shares.in_pairs) shares.screened = 0;
  Prediction made{.of = of, .card = card.name, .stages = modelled_work(of.job, of.sizes, shares)};
  for (const StageWork& stage : made.stages) made.seconds += modelled_seconds(stage, card);
  if (*look.words != 0) made.of.variant = text(of.variant, of.variant.empty() ? "" : ", ", look.words);
  return made;
}

bool predicted(const std::vector<Prediction>& predictions, const Case& of) {
  return std::any_of(predictions.begin(), predictions.end(), [&](const Prediction& p) { return p.of == of; });
}

}  // namespace

std::vector<Prediction> predict(const Report& report, const std::vector<Card>& cards) {
  std::vector<Prediction> predictions;
  for (const Measurement& m : report.measurements) {
    if (!modelled(m.of) || predicted(predictions, m.of)) continue;
    for (const Look& look : looks_of(m.of))
      for (const Card& card : cards) predictions.push_back(prediction_of(m.of, look, card));
  }
  return predictions;
}

std::string prediction_table(const Report& report, const std::vector<Prediction>& predictions,
                             const std::vector<Card>& cards) {
  if (predictions.empty()) return "";
  TextTable table{
      {"job", "sizes", "flops", "bytes", "bytes asked for", "launches", "library calls", "waits", "CPU, measured"}};
  for (const Card& card : cards) table.front().push_back(card.name + ", model");
  for (const Prediction& p : predictions) {
    if (p.card == cards.front().name) {
      const Measurement* const cpu = find(report, p.of, "cpu");
      const StageWork total = sum_of(p.stages);
      table.push_back({label(p.of), sizes_text(p.of), quantity_text(total.flops, "flop"),
                       quantity_text(total.bytes, "B"), quantity_text(total.requested_bytes, "B"),
                       grouped(total.launches), grouped(total.library_calls), grouped(total.waits),
                       cpu == nullptr ? "–" : seconds_text(cpu->seconds.median)});
    }
    table.back().push_back(seconds_text(p.seconds));
  }
  std::string notes;
  for (const Card& card : cards)
    notes += text("- ", card.name, ": float64 ", quantity_text(card.flops, "flop/s"), ", memory ",
                  quantity_text(card.bandwidth, "B/s"), ", link ", quantity_text(card.link, "B/s"), ", launch ",
                  seconds_text(card.launch_seconds), ", wait ", seconds_text(card.wait_seconds),
                  ", row of a triangular solve ", seconds_text(card.row_seconds), "; ", card.source, "\n");
  return markdown(table) + "\n" + notes + assumptions() + inverse_note(largest(predictions).of.sizes.n, cards) +
         "\n" + stage_table(largest(predictions), cards);
}

}  // namespace carbo::bench
