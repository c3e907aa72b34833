#include "bench/cost/replay.hpp"

#include <algorithm>
#include <utility>

#include <carbo/optimizer.hpp>

#include "bench/support/statistics.hpp"
#include "support/thread_pool.hpp"

namespace carbo::cost_bench {

namespace {

std::shared_ptr<const Pool> pool_of(const TimingTable& table) {
  std::vector<double> numbers;
  for (const auto& row : table.numbers) numbers.insert(numbers.end(), row.begin(), row.end());
  return std::make_shared<const Pool>(mlp_space(), numbers, table.rows());
}

ContenderSummary summarise(const std::vector<study::StudyRun>& runs) {
  std::vector<const study::StudyRun*> all;
  std::vector<double> evaluations;
  for (const study::StudyRun& run : runs) {
    all.push_back(&run);
    evaluations.push_back(static_cast<double>(study::evaluations_within(run, run.key.budget)));
  }
  ContenderSummary summary{.traces = study::sample_traces(all)};
  summary.lower = study::quantile_curve(summary.traces, 0.25);
  summary.middle = study::quantile_curve(summary.traces, 0.5);
  summary.upper = study::quantile_curve(summary.traces, 0.75);
  summary.evaluations = bench::median(evaluations);
  return summary;
}

}  // namespace

Replay::Replay(DataSource source, TimingTable table)
    : source_(std::move(source)),
      table_(std::move(table)),
      pool_(pool_of(table_)),
      lowest_error_(*std::min_element(table_.error.begin(), table_.error.end())),
      mean_seconds_(bench::mean(table_.seconds)) {}

study::StudyRun Replay::run(const study::Method& method, CostModelKind model, std::uint64_t seed,
                            double budget) const {
  Options options;
  options.budget = budget;
  options.seed = seed;
  options.acquisition = method.acquisition;
  options.initial_design = method.design;
  options.candidates.pool = pool_;
  options.cost.model = model;
  options.cost.features = mlp_cost_features(source_);
  options.backend.threads = 1;
  study::StudyRun run;
  run.key = {.problem = source_.name,
             .method = method.name,
             .seed = seed,
             .batch = 1,
             .candidates = table_.rows(),
             .budget = budget};
  Optimizer optimizer(mlp_space(), options);
  while (!optimizer.done()) {
    const auto suggestions = optimizer.ask(1);
    if (suggestions.empty()) break;
    const Suggestion& suggestion = suggestions.front();
    const std::size_t row = suggestion.pool_index.value();
    optimizer.tell(suggestion.id, {.objective = table_.error[row], .cost = table_.seconds[row]});
    run.steps.push_back({.phase = suggestion.receipt.phase,
                         .alpha = suggestion.receipt.alpha.value_or(0.0),
                         .cost = table_.seconds[row],
                         .finished = optimizer.spent(),
                         .objective = table_.error[row],
                         .regret = table_.error[row] - lowest_error_});
  }
  study::fill_incumbents(run.steps);
  run.spent = optimizer.spent();
  return run;
}

std::vector<Contender> all_contenders() {
  std::vector<Contender> result;
  for (const study::Method& method : study::all_methods()) {
    if (method.name == "ei") result.push_back({method, compared_models().front()});
    if (method.name != "eipu" && method.name != "carbo") continue;
    for (const NamedModel& model : compared_models()) result.push_back({method, model});
  }
  return result;
}

std::vector<ContenderSummary> run_contenders(const Replay& replay, const StudySettings& settings) {
  const std::vector<Contender> contenders = all_contenders();
  std::vector<std::vector<study::StudyRun>> runs(contenders.size(), std::vector<study::StudyRun>(settings.seeds));
  internal::ThreadPool pool(0);
  pool.parallel_for(contenders.size() * settings.seeds, [&](std::size_t job) {
    const std::size_t c = job % contenders.size(), seed = job / contenders.size();
    runs[c][seed] =
        replay.run(contenders[c].method, contenders[c].model.kind, seed + 1, settings.budget * replay.mean_seconds());
  });
  std::vector<ContenderSummary> summaries;
  std::size_t warped = 0;  // the last method's first contender
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    summaries.push_back(summarise(runs[c]));
    if (contenders[c].model.kind == CostModelKind::log_gp)
      warped = c;
    else
      summaries[c].saving = study::estimate_savings(summaries[c].traces, {summaries[warped].traces});
  }
  return summaries;
}

}  // namespace carbo::cost_bench
