#include "acquisition/pick_batch.hpp"

namespace carbo::internal {

void pick_batches(std::span<const PickProblem> problems, std::span<BatchEnd> ends) {
  for (std::size_t i = 0; i < problems.size(); ++i)
    ends[i] = problems[i].ensemble.pick(problems[i].batch, problems[i].first_id);
}

}  // namespace carbo::internal
