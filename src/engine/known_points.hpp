#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "support/row_hash.hpp"

namespace carbo::internal {

/// Configurations (numbers) that were evaluated or are running.
class KnownPoints {
 public:
  void add(std::span<const double> numbers) {
    points_[row_hash(numbers)].emplace_back(numbers.begin(), numbers.end());
  }

  bool contains(std::span<const double> numbers) const {
    const auto bucket = points_.find(row_hash(numbers));
    if (bucket == points_.end()) return false;
    return std::any_of(bucket->second.begin(), bucket->second.end(),
                       [&](const std::vector<double>& known) { return std::ranges::equal(known, numbers); });
  }

  bool empty() const { return points_.empty(); }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::vector<double>>> points_;
};

}  // namespace carbo::internal
