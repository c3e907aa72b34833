#include "models/fit_models.hpp"

#include <cstdint>
#include <vector>

#include "gp/fit.hpp"

namespace carbo::internal {
namespace {

void learn(GpBackend& backend, std::span<const ModelUpdate> updates) {
  std::vector<FitProblem> problems;
  std::vector<std::uint64_t> seeds;
  std::vector<std::size_t> ends;  // of each update's problems
  for (const ModelUpdate& update : updates) {
    if (update.models->wants(update.points, update.fit_due))
      update.models->begin(update.points, update.fit_due, problems);
    seeds.resize(problems.size(), update.models->seed());
    ends.push_back(problems.size());
  }
  const std::vector<FitResult> fitted = fit(backend, problems, seeds);
  std::size_t first = 0;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    updates[i].models->finish(std::span(fitted).subspan(first, ends[i] - first));
    first = ends[i];
  }
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
