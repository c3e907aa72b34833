#include "space/pool_storage.hpp"

#include <algorithm>

#include "space/checks.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// Rows that are checked before their pages are given back: at most 6.25 MiB.
constexpr std::size_t rows_at_a_check = 8192;

}  // namespace

std::span<const double> PoolStorage::numbers() const {
  if (!file) return held;
  return {reinterpret_cast<const double*>(file->bytes().data()), file->bytes().size() / sizeof(double)};
}

void PoolStorage::release(std::size_t first, std::size_t count) const noexcept {
  if (file) file->release(first * sizeof(double), count * sizeof(double));
}

std::string PoolStorage::fault(std::span<const Parameter> tested) const {
  const std::span<const double> all = numbers();
  const std::size_t step = rows_at_a_check * tested.size();
  for (std::size_t first = 0; first < all.size(); first += step) {
    const auto chunk = all.subspan(first, std::min(step, all.size() - first));
    const std::size_t bad = first_foreign(tested, chunk);
    if (bad < chunk.size()) {
      const Parameter& parameter = tested[bad % tested.size()];
      return text("row ", (first + bad) / tested.size(), ", parameter '", parameter.name(),
                  "': ", number_fault(parameter, chunk[bad]));
    }
    release(first, chunk.size());
  }
  return {};
}

}  // namespace carbo::internal
