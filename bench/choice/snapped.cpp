#include "bench/choice/snapped.hpp"

#include <utility>

#include "replay/nearest_row.hpp"

namespace carbo::choice {

replay::Problem snapped_problem(const replay::Problem& problem, std::shared_ptr<const replay::Table> table) {
  replay::Problem snapped = problem;
  snapped.pool = nullptr;
  snapped.drawn = CandidateOptions{}.count;
  auto nearest = std::make_shared<const replay::NearestRow>(table->space, table->numbers);
  snapped.evaluate = [nearest = std::move(nearest), table = std::move(table)](const Suggestion& suggestion,
                                                                              std::uint64_t) {
    const std::size_t row = (*nearest)(suggestion.configuration.numbers());
    replay::Outcome outcome = table->outcome(row);
    outcome.row = row;
    return outcome;
  };
  return snapped;
}

std::vector<replay::Problem> snapped_problems_of(ProblemSet set, const std::filesystem::path& data) {
  std::vector<replay::Problem> problems;
  for (const hpo::MeasuredProblem& measured : tables_of(set, data))
    problems.push_back(snapped_problem(measured.problem, measured.table));
  return problems;
}

}  // namespace carbo::choice
