#include "design/race_design.hpp"

namespace carbo::internal {

std::size_t pick_design(RaceBackend& backend, const RaceProblem& problem) {
  for (std::size_t found = 0; found < problem.count; ++found) {
    const std::size_t row = backend.race(problem.candidates, problem.log_cost, problem.log_cost_limit());
    if (row == Scored::none) return found;
    if (found == 0 && problem.worth && !problem.worth(row)) return 0;
    problem.take(row);
  }
  return problem.count;
}

}  // namespace carbo::internal
