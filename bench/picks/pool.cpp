#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <carbo/carbo.hpp>

#include "bench/picks/jobs.hpp"
#include "replay/statistics.hpp"

namespace carbo::bench {
namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;

SurrogateOptions fixed(const internal::GpParameters& gp) {
  SurrogateOptions options;
  Hyperparameters hyperparameters;
  for (const double inverse : gp.inverse_lengthscales) hyperparameters.lengthscales.push_back(1.0 / inverse);
  hyperparameters.signal_variance = gp.signal_variance;
  hyperparameters.noise_variance = gp.noise_variance;
  options.fixed = hyperparameters;
  return options;
}

/// An optimizer that has been told all observations and searches `candidates` next, 30 % of them round the best.
Optimizer taught(const Problem& problem, std::size_t candidates, std::size_t memory_bytes) {
  Space space{real("x0", 0, 1), real("x1", 0, 1), real("x2", 0, 1),
              real("x3", 0, 1), real("x4", 0, 1), real("x5", 0, 1)};
  Options options{.budget = 1e9};
  options.initial_design = InitialDesign::uniform;
  options.surrogate = fixed(problem.objective_gp);
  options.cost.surrogate = fixed(problem.log_cost_gp);
  options.candidates.count = candidates;
  options.candidates.local_share = 0.3;
  options.backend.memory_bytes = memory_bytes;
  Optimizer optimizer(space, options);
  for (std::size_t i = 0; i < problem.rows(); ++i)
    optimizer.tell(space.configuration(problem.point_rows().row(i)),
                   {problem.objective[i], std::exp(problem.log_costs[i])});
  return optimizer;
}

/// Seconds of one pick; of a resident set, those of making it not counted.
double pick_seconds(Optimizer& optimizer) {
  const std::vector<Suggestion> suggestions = optimizer.ask(1);
  if (suggestions.empty() || suggestions.front().receipt.phase != Phase::search)
    throw std::runtime_error("the optimizer did not search");
  const StageSeconds& seconds = suggestions.front().receipt.seconds;
  optimizer.withdraw(suggestions.front().id);
  return seconds.sweep + seconds.pick;
}

}  // namespace

void pick_from_streamed_pool(const JobSize& size) {
  constexpr std::size_t resident = 1000000;
  const Problem problem(size.data, size.n, 0);
  std::vector<double> kept;
  {
    Optimizer optimizer = taught(problem, resident, 0);
    for (int i = 0; i < 3; ++i) kept.push_back(pick_seconds(optimizer));
  }
  Optimizer optimizer = taught(problem, size.m, gibibyte);
  const MemoryPlan plan = optimizer.memory_plan();
  if (!plan.streamed) throw std::runtime_error("the pool is not streamed; give a larger --m");
  const double streamed = pick_seconds(optimizer);
  const double kept_rate = static_cast<double>(resident) / replay::median(kept);
  const double streamed_rate = static_cast<double>(size.m) / streamed;
  std::printf(
      "pool          %s n=%zu m=%zu d=6  %.1f s, generation included: %.3g candidates/s; m=%zu kept %.3g/s: %.2f of "
      "its rate%s\n%s",
      name_of(size.data), size.n, size.m, streamed, streamed_rate, resident, kept_rate, streamed_rate / kept_rate,
      size.data == DataSet::late ? " (bar 0.80; 1024 MiB)" : "", plan.describe().c_str());
}

}  // namespace carbo::bench
