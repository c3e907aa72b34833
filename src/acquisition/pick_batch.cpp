#include "acquisition/pick_batch.hpp"

#include <vector>

namespace carbo::internal {
namespace {

BatchEnd pick_batch(const PickProblem& problem) {
  const Search& search = problem.ensemble.search();
  SearchWork before = search.work();
  for (std::size_t k = 0; k < problem.count; ++k) {
    if (search.available() == 0) return BatchEnd::exhausted;
    const std::uint64_t id = problem.first_id + k;
    const PickRule rule{problem.acquisition, problem.log_cost_limit()};
    const std::vector<Scored> best =
        problem.ensemble.top(rule, problem.with_runner_up ? 2 : 1, {id, problem.count - k - 1});
    if (best.empty()) return search.available() == 0 ? BatchEnd::exhausted : BatchEnd::refused;
    const SearchWork work = search.work();
    PickedRow picked{best.front(), id, problem.ensemble.mean_incumbent()};
    if (best.size() > 1) picked.runner_up_score = best[1].score;
    picked.available = search.available();
    picked.finished = work.finished - before.finished;
    picked.refreshed = work.refreshed - before.refreshed;
    before = work;
    const std::span<const double> point = problem.take(picked);
    if (k + 1 < problem.count) problem.ensemble.fantasise(point, id);
  }
  return BatchEnd::complete;
}

}  // namespace

void pick_batches(std::span<const PickProblem> problems, std::span<BatchEnd> ends) {
  for (std::size_t i = 0; i < problems.size(); ++i) ends[i] = pick_batch(problems[i]);
}

}  // namespace carbo::internal
