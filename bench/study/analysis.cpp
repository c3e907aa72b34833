#include "bench/study/analysis.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/support/statistics.hpp"

namespace carbo::study {

namespace {

/// Mean cost of the evaluations that ran while the spent budget lay within a window of 5 % round `share`.
double cost_near(const StudyRun& run, double share) {
  const double from = run.key.budget * std::max(0.0, share - 0.025);
  const double to = run.key.budget * std::min(1.0, share + 0.025);
  const std::size_t first = std::min(evaluations_within(run, from), run.steps.size() - 1);
  const std::size_t last = std::min(evaluations_within(run, to), run.steps.size() - 1);
  double sum = 0;
  for (std::size_t i = first; i <= last; ++i) sum += run.steps[i].cost;
  return sum / static_cast<double>(last - first + 1);
}

std::vector<double> median_cost_curve(const std::vector<const StudyRun*>& runs) {
  std::vector<double> curve;
  for (std::size_t i = 0; i <= grid_steps; ++i) {
    std::vector<double> costs;
    for (const StudyRun* run : runs) costs.push_back(cost_near(*run, static_cast<double>(i) / grid_steps));
    curve.push_back(bench::median(costs));
  }
  return curve;
}

MethodSummary summarise_method(const Method& method, const std::vector<const StudyRun*>& runs) {
  std::vector<double> evaluations, seconds;
  for (const StudyRun* run : runs) {
    if (run->steps.empty()) throw std::runtime_error(run->key.problem + ": a run of " + method.name + " is empty");
    evaluations.push_back(static_cast<double>(evaluations_within(*run, run->key.budget)));
    seconds.push_back(run->seconds);
  }
  MethodSummary summary{.method = method, .traces = sample_traces(runs)};
  summary.lower = quantile_curve(summary.traces, 0.25);
  summary.middle = quantile_curve(summary.traces, 0.5);
  summary.upper = quantile_curve(summary.traces, 0.75);
  summary.cost = median_cost_curve(runs);
  summary.evaluations = bench::median(evaluations);
  summary.seconds = bench::mean(seconds);
  return summary;
}

std::optional<SavingsEstimate> savings_against_rivals(const ProblemSummary& summary) {
  const MethodSummary* ours = summary.find("carbo");
  std::vector<Traces> traces;
  for (const std::string& name : rivals) {
    const MethodSummary* rival = summary.find(name);
    if (ours == nullptr || rival == nullptr) return std::nullopt;
    traces.push_back(rival->traces);
  }
  return estimate_savings(ours->traces, traces);
}

}  // namespace

const MethodSummary* ProblemSummary::find(const std::string& name) const {
  for (const MethodSummary& summary : methods)
    if (summary.method.name == name) return &summary;
  return nullptr;
}

RunKey key_of(const Problem& problem, const CostProfile& profile, const Method& method, const Settings& settings,
              std::uint64_t seed) {
  return {.problem = problem.name,
          .method = method.name,
          .seed = seed,
          .batch = settings.batch,
          .candidates = settings.candidates,
          .budget = budget_of(problem, profile, settings.batch)};
}

ProblemSummary summarise(const Problem& problem, const std::vector<Method>& methods, const Settings& settings,
                         std::size_t seeds, const RunStore& store) {
  ProblemSummary summary{.problem = problem, .profile = cost_profile(problem), .seeds = seeds};
  summary.budget = budget_of(problem, summary.profile, settings.batch);
  for (const Method& method : methods) {
    std::vector<const StudyRun*> runs;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto found = store.runs().find(key_of(problem, summary.profile, method, settings, seed));
      if (found == store.runs().end())
        throw std::runtime_error(problem.name + ", " + method.name + ": seed " + std::to_string(seed) +
                                 " is missing");
      runs.push_back(&found->second);
    }
    summary.methods.push_back(summarise_method(method, runs));
  }
  summary.savings = savings_against_rivals(summary);
  const MethodSummary* ours = summary.find("carbo");
  for (const MethodSummary& other : summary.methods) {
    const bool comparable = ours != nullptr && &other != ours;
    summary.against.push_back(comparable ? std::optional(savings(ours->middle, other.middle)) : std::nullopt);
  }
  return summary;
}

}  // namespace carbo::study
