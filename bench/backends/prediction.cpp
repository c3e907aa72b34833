#include "bench/backends/prediction.hpp"

#include <algorithm>

#include "bench/backends/tables.hpp"
#include "bench/support/markdown.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

/// The model's `fit` is one step, its `suggest` finds the models fitted.
bool modelled(const Case& c) { return c.variant != "whole" && c.variant != "with fit"; }

PickShares shares_for(const Report& report, const Measurement& m) {
  if (m.shares) return *m.shares;
  const auto similar = [&](Job job) -> const Measurement* {
    const JobSizes sizes = relevant(job, m.of.sizes);
    for (const Measurement& other : report.measurements)
      if (other.of.job == job && other.of.sizes == sizes && other.shares) return &other;
    return nullptr;
  };
  for (const Job job : {Job::batch, Job::pick})
    if (const Measurement* const other = similar(job)) return *other->shares;
  return {};
}

StageWork sum_of(const std::vector<StageWork>& stages) {
  StageWork total;
  for (const StageWork& stage : stages) {
    total.flops += stage.flops;
    total.bytes += stage.bytes;
    total.launches += stage.launches;
    total.library_calls += stage.library_calls;
    total.bytes_to_device += stage.bytes_to_device;
    total.bytes_to_host += stage.bytes_to_host;
    total.waits += stage.waits;
    total.requested_bytes += stage.requested_bytes;
  }
  return total;
}

}  // namespace

std::vector<Prediction> predict(const Report& report, const std::vector<Card>& cards) {
  std::vector<Prediction> predictions;
  for (const Measurement& m : report.measurements) {
    if (m.backend != "cpu" || !modelled(m.of)) continue;
    const std::vector<StageWork> stages = modelled_work(m.of.job, m.of.sizes, shares_for(report, m));
    for (const Card& card : cards) {
      Prediction prediction{.of = m.of, .card = card.name, .total = sum_of(stages)};
      for (const StageWork& stage : stages) prediction.seconds += modelled_seconds(stage, card);
      predictions.push_back(prediction);
    }
  }
  return predictions;
}

std::string prediction_table(const Report& report, const std::vector<Prediction>& predictions,
                             const std::vector<Card>& cards) {
  if (predictions.empty()) return "";
  TextTable table{{"job", "sizes", "flops", "bytes", "launches", "library calls", "waits", "CPU, measured"}};
  for (const Card& card : cards) table.front().push_back(card.name + ", model");
  for (const Prediction& p : predictions) {
    if (p.card == cards.front().name) {
      const Measurement* const cpu = find(report, p.of, "cpu");
      table.push_back({label(p.of), sizes_text(p.of), quantity_text(p.total.flops, "flop"),
                       quantity_text(p.total.bytes, "B"), grouped(p.total.launches), grouped(p.total.library_calls),
                       grouped(p.total.waits), cpu == nullptr ? "–" : seconds_text(cpu->seconds.median)});
    }
    table.back().push_back(seconds_text(p.seconds));
  }
  std::string notes;
  for (const Card& card : cards)
    notes +=
        text("- ", card.name, ": float64 ", quantity_text(card.flops, "flop/s"), ", memory ",
             quantity_text(card.bandwidth, "B/s"), ", link ", quantity_text(card.link, "B/s"), ", launch ",
             seconds_text(card.launch_seconds), ", wait ", seconds_text(card.wait_seconds), "; ", card.source, "\n");
  return markdown(table) + "\n" + notes;
}

}  // namespace carbo::bench
