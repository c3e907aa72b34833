#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstddef>
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
    traces_.set(trace(numbers));
    points_[row_hash(numbers)].emplace_back(numbers.begin(), numbers.end());
  }

  bool contains(std::span<const double> numbers) const {
    if (!traces_.test(trace(numbers))) return false;
    const auto bucket = points_.find(row_hash(numbers));
    if (bucket == points_.end()) return false;
    return std::any_of(bucket->second.begin(), bucket->second.end(),
                       [&](const std::vector<double>& known) { return std::ranges::equal(known, numbers); });
  }

  bool empty() const { return points_.empty(); }

 private:
  static constexpr int trace_bits = 16;
  /// A few bits of the first and the last number: quick to make, and enough to rule out most rows of a stream.
  static std::size_t trace(std::span<const double> numbers) {
    if (numbers.empty()) return 0;
    const std::uint64_t mixed = std::bit_cast<std::uint64_t>(numbers.front() + 0.0) +
                                std::rotl(std::bit_cast<std::uint64_t>(numbers.back() + 0.0), 23);
    return (mixed * 0x9e3779b97f4a7c15u) >> (64 - trace_bits);
  }

  std::bitset<std::size_t{1} << trace_bits> traces_;
  std::unordered_map<std::uint64_t, std::vector<std::vector<double>>> points_;
};

}  // namespace carbo::internal
