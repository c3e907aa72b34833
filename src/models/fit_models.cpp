#include "models/fit_models.hpp"

#include <cstdint>
#include <vector>

#include "gp/fit.hpp"

namespace carbo::internal {
namespace {

/// One batched fit of what `ask` adds to the problems of every update; `take` gets the results of these.
template <class Ask, class Take>
void fit_together(GpBackend& backend, std::span<const ModelUpdate> updates, const Ask& ask, const Take& take) {
  std::vector<FitProblem> problems;
  std::vector<std::uint64_t> seeds;
  std::vector<std::size_t> ends;  // of each update's problems
  for (const ModelUpdate& update : updates) {
    ask(update, problems);
    seeds.resize(problems.size(), update.models->seed());
    ends.push_back(problems.size());
  }
  const std::vector<FitResult> fitted = fit(backend, problems, seeds);
  std::size_t first = 0;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    take(updates[i], std::span(fitted).subspan(first, ends[i] - first));
    first = ends[i];
  }
}

/// What targets are is settled first, then the models learn them.
void learn(GpBackend& backend, std::span<const ModelUpdate> updates) {
  fit_together(
      backend, updates,
      [](const ModelUpdate& update, std::vector<FitProblem>& problems) {
        if (update.models->wants(update.points, update.fit_due))
          update.models->open(update.points, update.fit_due, problems);
      },
      [](const ModelUpdate& update, std::span<const FitResult> fitted) { update.models->choose(fitted); });
  fit_together(
      backend, updates,
      [](const ModelUpdate& update, std::vector<FitProblem>& problems) {
        update.models->begin(update.points, problems);
      },
      [](const ModelUpdate& update, std::span<const FitResult> fitted) { update.models->finish(fitted); });
}

}  // namespace

void fit_models(GpBackend& backend, std::span<const ModelUpdate> updates) {
  try {
    learn(backend, updates);
  } catch (...) {
    for (const ModelUpdate& update : updates) update.models->roll_back();
    throw;
  }
}

}  // namespace carbo::internal
