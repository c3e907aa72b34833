#include "replay/summary.hpp"

#include <algorithm>
#include <stdexcept>

#include "replay/methods.hpp"
#include "replay/statistics.hpp"

namespace carbo::replay {

namespace {

/// Mean cost of the evaluations that ran while the spent budget lay within a window of 5 % round `share`.
double cost_near(const RunRecord& run, double share) {
  const double from = run.key.budget * std::max(0.0, share - 0.025);
  const double to = run.key.budget * std::min(1.0, share + 0.025);
  const std::size_t first = std::min(evaluations_within(run, from), run.steps.size() - 1);
  const std::size_t last = std::min(evaluations_within(run, to), run.steps.size() - 1);
  double sum = 0;
  for (std::size_t i = first; i <= last; ++i) sum += run.steps[i].cost;
  return sum / static_cast<double>(last - first + 1);
}

std::vector<double> median_cost_curve(const std::vector<const RunRecord*>& runs) {
  std::vector<double> curve;
  for (std::size_t i = 0; i <= grid_steps; ++i) {
    std::vector<double> costs;
    for (const RunRecord* run : runs) costs.push_back(cost_near(*run, static_cast<double>(i) / grid_steps));
    curve.push_back(median(costs));
  }
  return curve;
}

std::vector<const RunRecord*> runs_of(const Cell& cell, const Method& method, const RunStore& store) {
  std::vector<const RunRecord*> runs;
  for (std::uint64_t seed = 1; seed <= cell.seeds; ++seed) {
    const auto found = store.runs().find(key_of(*cell.problem, method, cell.batch, cell.budget, seed));
    if (found == store.runs().end())
      throw std::runtime_error(cell.problem->name + ", " + method.name + ", batch " + std::to_string(cell.batch) +
                               ": seed " + std::to_string(seed) + " is missing");
    runs.push_back(&found->second);
  }
  return runs;
}

MethodSummary summarise_method(const Method& method, std::vector<const RunRecord*> runs) {
  MethodSummary summary{.name = method.name, .title = method.title, .traces = sample_traces(runs)};
  std::vector<double> evaluations, seconds;
  for (const RunRecord* run : runs) {
    evaluations.push_back(static_cast<double>(evaluations_within(*run, run->key.budget)));
    seconds.push_back(run->seconds);
    summary.cut_short += run->spent < run->key.budget ? 1 : 0;
  }
  summary.lower = quantile_curve(summary.traces, 0.25);
  summary.middle = quantile_curve(summary.traces, 0.5);
  summary.upper = quantile_curve(summary.traces, 0.75);
  summary.cost = median_cost_curve(runs);
  summary.evaluations = median(evaluations);
  summary.seconds = mean(seconds);
  summary.runs = std::move(runs);
  return summary;
}

std::optional<SavingsEstimate> savings_against_rivals(const Summary& summary) {
  const MethodSummary* mine = summary.find(ours);
  std::vector<Traces> traces;
  for (const std::string& name : rivals) {
    const MethodSummary* rival = summary.find(name);
    if (mine == nullptr || rival == nullptr) return std::nullopt;
    traces.push_back(rival->traces);
  }
  return estimate_savings(mine->traces, traces);
}

}  // namespace

const MethodSummary* Summary::find(const std::string& name) const {
  for (const MethodSummary& summary : methods)
    if (summary.name == name) return &summary;
  return nullptr;
}

Summary summarise(const Cell& cell, const std::vector<Method>& methods, const RunStore& store) {
  Summary summary{.cell = cell};
  for (const Method& method : methods)
    summary.methods.push_back(summarise_method(method, runs_of(cell, method, store)));
  summary.savings = savings_against_rivals(summary);
  const MethodSummary* mine = summary.find(ours);
  for (const MethodSummary& other : summary.methods) {
    const bool comparable = mine != nullptr && &other != mine;
    summary.against.push_back(comparable ? std::optional(savings(mine->middle, other.middle)) : std::nullopt);
  }
  return summary;
}

std::vector<PairSavings> pairwise_savings(const Summary& summary) {
  std::vector<Traces> drawn;
  for (const MethodSummary& method : summary.methods) drawn.push_back(resampled_medians(method.traces, 0, 1));
  std::vector<PairSavings> pairs;
  for (std::size_t ours = 0; ours < drawn.size(); ++ours)
    for (std::size_t rival = 0; rival < drawn.size(); ++rival) {
      if (ours == rival) continue;
      std::vector<double> shares;
      for (std::size_t r = 0; r < drawn[ours].size(); ++r) shares.push_back(savings(drawn[ours][r], drawn[rival][r]));
      pairs.push_back({.ours = ours,
                       .rival = rival,
                       .share = savings(summary.methods[ours].middle, summary.methods[rival].middle),
                       .low = quantile(shares, 0.05),
                       .high = quantile(shares, 0.95)});
    }
  return pairs;
}

NetSavings net_savings(const std::vector<double>& single, const std::vector<double>& drawn) {
  return {.share = mean(single), .low = quantile(drawn, 0.05), .high = quantile(drawn, 0.95)};
}

NetSavings net_savings(const std::vector<MethodPair>& pairs) {
  std::vector<double> single;
  std::vector<Comparison> comparisons;
  for (const MethodPair& pair : pairs) {
    single.push_back(savings(pair.ours->middle, pair.rival->middle));
    comparisons.push_back({&pair.ours->traces, &pair.rival->traces});
  }
  return net_savings(single, resampled_net_savings(comparisons));
}

NetSavings net_savings(const std::vector<Summary>& cells) {
  std::vector<MethodPair> pairs;
  for (const Summary& cell : cells) {
    if (!cell.savings) throw std::invalid_argument("net savings need runs of all rivals in every cell");
    pairs.push_back({cell.find(ours), cell.find(rivals[cell.savings->rival])});
  }
  return net_savings(pairs);
}

}  // namespace carbo::replay
