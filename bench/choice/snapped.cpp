#include "bench/choice/snapped.hpp"

#include <limits>
#include <span>
#include <utility>

namespace carbo::choice {

NearestRow::NearestRow(const replay::Table& table) : space_(table.space), rows_(table.rows()) {
  const std::size_t columns = space_.encoded_columns();
  encoded_.resize(rows_ * columns);
  for (std::size_t row = 0; row < rows_; ++row)
    space_.encode(table.row(row), std::span(encoded_).subspan(row * columns, columns));
}

std::size_t NearestRow::operator()(const Configuration& configuration) const {
  const std::vector<double> point = space_.encode(configuration);
  std::size_t nearest = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows_; ++row) {
    double distance = 0;  // squared
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double difference = encoded_[row * point.size() + j] - point[j];
      distance += difference * difference;
    }
    if (distance < lowest) {
      lowest = distance;
      nearest = row;
    }
  }
  return nearest;
}

replay::Problem snapped_problem(const replay::Problem& problem, const replay::Table& table) {
  replay::Problem snapped = problem;
  snapped.pool = nullptr;
  snapped.drawn = CandidateOptions{}.count;
  snapped.evaluate = [nearest = std::make_shared<const NearestRow>(table),
                      shared = std::make_shared<const replay::Table>(table)](const Suggestion& suggestion,
                                                                             std::uint64_t) {
    const std::size_t row = (*nearest)(suggestion.configuration);
    return replay::Outcome{
        .objective = shared->objective[row], .value = shared->objective[row], .cost = shared->cost[row], .row = row};
  };
  return snapped;
}

std::vector<replay::Problem> snapped_problems_of(Half half, const std::filesystem::path& data) {
  std::vector<replay::Problem> problems;
  for (const hpo::MeasuredProblem& measured : tables_of(half, data))
    problems.push_back(snapped_problem(measured.problem, measured.table));
  return problems;
}

}  // namespace carbo::choice
