#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "space/checks.hpp"
#include "space/pool_storage.hpp"
#include "support/calls.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::text;

constexpr std::size_t most_rows_held = std::size_t{1} << 31;
constexpr std::size_t most_rows_mapped = std::size_t{1} << 32;

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

std::shared_ptr<const internal::PoolStorage> held(const Space& space, std::span<const double> numbers,
                                                  std::size_t rows) {
  const std::size_t columns = space.parameters().size();
  if (rows == 0) throw InvalidPool("the pool has no rows; give at least one candidate");
  if (rows > most_rows_held) throw InvalidPool(text("the pool has ", rows, " rows; give at most 2^31"));
  if (numbers.size() / columns != rows || numbers.size() % columns != 0) {
    throw InvalidPool(text("the pool holds ", numbers.size(), " numbers for ", rows, " rows; the space has ", columns,
                           " parameters, so give ", rows * columns, " numbers, row by row"));
  }
  internal::PoolStorage storage{space.parameters(), std::vector<double>(numbers.size()), std::nullopt};
  std::transform(numbers.begin(), numbers.end(), storage.held.begin(), [](double number) { return number + 0.0; });
  const std::string fault = storage.fault(storage.parameters);
  if (!fault.empty()) throw InvalidPool(text("pool ", fault));
  return std::make_shared<const internal::PoolStorage>(std::move(storage));
}

std::shared_ptr<const internal::PoolStorage> mapped(const Space& space, const std::filesystem::path& path) {
  if constexpr (std::endian::native != std::endian::little) {
    throw InvalidPool("a pool file is little-endian and this machine is not; give the pool in memory");
  }
  internal::PoolStorage storage{space.parameters(), {}, internal::MappedFile(path)};
  const std::size_t row_bytes = space.parameters().size() * sizeof(double);
  const std::size_t bytes = storage.file->bytes().size();
  const auto refuse = [&](const std::string& fault) {
    throw InvalidPool(text("pool file '", path.string(), "': ", fault));
  };
  if (bytes % row_bytes != 0) {
    refuse(text("holds ", bytes, " bytes, ", bytes % row_bytes, " more than ", bytes / row_bytes,
                " rows; the space has ", space.parameters().size(), " parameters, so give ", row_bytes,
                " bytes a row (float64) and no header"));
  }
  if (bytes / row_bytes > most_rows_mapped) {
    refuse(text("holds ", bytes / row_bytes, " rows; give at most 2^32"));
  }
  const std::string fault = storage.fault(storage.parameters);
  if (!fault.empty()) refuse(fault);
  return std::make_shared<const internal::PoolStorage>(std::move(storage));
}

}  // namespace

Pool::Pool(std::shared_ptr<const internal::PoolStorage> storage)
    : columns_(storage->parameters.size()), numbers_(storage->numbers()), storage_(std::move(storage)) {
  rows_ = numbers_.size() / columns_;
}

Pool::Pool(const Space& space, std::span<const double> numbers, std::size_t rows)
    : Pool(internal::with_typed_exhaustion([&] { return held(space, numbers, rows); })) {}

Pool::Pool(const Space& space, const std::vector<Configuration>& configurations)
    : Pool(internal::with_typed_exhaustion(
          [&] { return held(space, gathered(space, configurations), configurations.size()); })) {}

Pool Pool::map(const Space& space, const std::filesystem::path& file) {
  return internal::with_typed_exhaustion([&] { return Pool(mapped(space, file)); });
}

std::span<const double> Pool::row(std::size_t index) const {
  if (index >= rows_) {
    throw InvalidPool(text("row ", index, " was asked of a pool of ", rows_, " rows; rows count from 0"));
  }
  return numbers_.subspan(index * columns_, columns_);
}

}  // namespace carbo
