#include <algorithm>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "space/checks.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::text;

constexpr std::size_t most_rows = std::size_t{1} << 31;

void check_row_count(std::size_t rows) {
  if (rows == 0) throw InvalidPool("the pool has no rows; give at least one candidate");
  if (rows > most_rows) throw InvalidPool(text("the pool has ", rows, " rows; give at most 2^31"));
}

/// Rows of numbers, one a parameter.
std::vector<double> gathered(const Space& space, const std::vector<Configuration>& configurations) {
  std::vector<double> numbers;
  numbers.reserve(configurations.size() * space.parameters().size());
  for (std::size_t row = 0; row < configurations.size(); ++row) {
    const Configuration& configuration = configurations[row];
    if (!internal::same_names(configuration.parameters(), space.parameters())) {
      throw InvalidPool(text("pool row ", row, " (", configuration.to_string(),
                             ") belongs to another space; make it with this space's configuration()"));
    }
    numbers.insert(numbers.end(), configuration.numbers().begin(), configuration.numbers().end());
  }
  return numbers;
}

}  // namespace

Pool::Pool(const Space& space, std::span<const double> numbers, std::size_t rows)
    : rows_(rows), columns_(space.parameters().size()) {
  check_row_count(rows);
  if (numbers.size() / columns_ != rows || numbers.size() % columns_ != 0) {
    throw InvalidPool(text("the pool holds ", numbers.size(), " numbers for ", rows, " rows; the space has ",
                           columns_, " parameters, so give ", rows * columns_, " numbers, row by row"));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Parameter& parameter = space.parameters()[i % columns_];
    const std::string fault = internal::number_fault(parameter, numbers[i]);
    if (!fault.empty()) {
      throw InvalidPool(text("pool row ", i / columns_, ", parameter '", parameter.name(), "': ", fault));
    }
  }
  numbers_.resize(numbers.size());
  std::transform(numbers.begin(), numbers.end(), numbers_.begin(), [](double number) { return number + 0.0; });
}

Pool::Pool(const Space& space, const std::vector<Configuration>& configurations)
    : Pool(space, gathered(space, configurations), configurations.size()) {}

std::span<const double> Pool::row(std::size_t index) const {
  if (index >= rows_) {
    throw InvalidPool(text("row ", index, " was asked of a pool of ", rows_, " rows; rows count from 0"));
  }
  return {numbers_.data() + index * columns_, columns_};
}

}  // namespace carbo
