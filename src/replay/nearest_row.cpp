#include "replay/nearest_row.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace carbo::replay {

NearestRow::NearestRow(Space space, std::span<const double> numbers) : space_(std::move(space)) {
  const std::size_t parameters = space_.parameters().size(), columns = space_.encoded_columns();
  if (numbers.empty() || numbers.size() % parameters != 0)
    throw std::invalid_argument("the nearest row is looked for among " + std::to_string(numbers.size()) +
                                " numbers; rows of " + std::to_string(parameters) + ", at least one, were expected");
  encoded_.resize(numbers.size() / parameters * columns);
  for (std::size_t row = 0; row < rows(); ++row)
    space_.encode(numbers.subspan(row * parameters, parameters), std::span(encoded_).subspan(row * columns, columns));
}

std::size_t NearestRow::operator()(std::span<const double> numbers) const {
  const std::vector<double> point = space_.encode(space_.configuration(numbers));
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows(); ++row) {
    const double* const entries = encoded_.data() + row * point.size();
    double squared = 0;
    for (std::size_t column = 0; column < point.size(); ++column) {
      const double difference = entries[column] - point[column];
      squared += difference * difference;
    }
    if (squared < least) {
      least = squared;
      nearest = row;
    }
  }
  return nearest;
}

}  // namespace carbo::replay
