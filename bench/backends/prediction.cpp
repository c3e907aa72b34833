#include "bench/backends/prediction.hpp"

#include <algorithm>
#include <tuple>

#include "bench/backends/model_kernels.hpp"
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
         " otherwise.\n";
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

bool predicted(const std::vector<Prediction>& predictions, const Case& of) {
  return std::any_of(predictions.begin(), predictions.end(), [&](const Prediction& p) { return p.of == of; });
}

}  // namespace

std::vector<Prediction> predict(const Report& report, const std::vector<Card>& cards) {
  std::vector<Prediction> predictions;
  for (const Measurement& m : report.measurements) {
    if (!modelled(m.of) || predicted(predictions, m.of)) continue;
    const std::vector<StageWork> stages = modelled_work(m.of.job, m.of.sizes, usual_shares(m.of.job, m.of.sizes));
    for (const Card& card : cards) {
      Prediction prediction{.of = m.of, .card = card.name, .stages = stages};
      for (const StageWork& stage : stages) prediction.seconds += modelled_seconds(stage, card);
      predictions.push_back(prediction);
    }
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
    notes +=
        text("- ", card.name, ": float64 ", quantity_text(card.flops, "flop/s"), ", memory ",
             quantity_text(card.bandwidth, "B/s"), ", link ", quantity_text(card.link, "B/s"), ", launch ",
             seconds_text(card.launch_seconds), ", wait ", seconds_text(card.wait_seconds), "; ", card.source, "\n");
  return markdown(table) + "\n" + notes + assumptions() + inverse_note(largest(predictions).of.sizes.n, cards) +
         "\n" + stage_table(largest(predictions), cards);
}

}  // namespace carbo::bench
