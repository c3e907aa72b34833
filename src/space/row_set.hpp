#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/row_hash.hpp"

namespace carbo::internal {

/// Which rows of a growing row-major table are already there, by exact numbers. Open addressing over row numbers:
/// 8 to 16 bytes a row. Rows hold no NaN and no −0.
class RowSet {
 public:
  /// `most_rows`: the largest number of rows that will be inserted, below 2^32 − 1.
  explicit RowSet(std::size_t most_rows) : slots_(std::bit_ceil(2 * most_rows + 1), empty) {}

  /// Slot of a row equal to `row`, or the free slot where it belongs. `table`: all rows inserted so far.
  std::size_t find(std::span<const double> table, std::span<const double> row) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(row_hash(row)) & mask;
    while (slots_[slot] != empty && !equal(table, slots_[slot], row)) slot = (slot + 1) & mask;
    return slot;
  }
  bool holds(std::size_t slot) const { return slots_[slot] != empty; }
  /// Number of the row in a slot that holds one.
  std::size_t at(std::size_t slot) const { return slots_[slot]; }
  void insert(std::size_t slot, std::size_t row_number) { slots_[slot] = static_cast<std::uint32_t>(row_number); }

 private:
  static constexpr std::uint32_t empty = 0xFFFFFFFFu;

  static bool equal(std::span<const double> table, std::uint32_t row_number, std::span<const double> row) {
    const double* const other = table.data() + row_number * row.size();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (other[i] != row[i]) return false;
    }
    return true;
  }

  std::vector<std::uint32_t> slots_;
};

}  // namespace carbo::internal
