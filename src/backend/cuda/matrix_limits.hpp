#pragma once

#include <cstddef>
#include <string>

#include <carbo/error.hpp>

namespace carbo::internal {

/// Throws OutOfMemory where a matrix of so many rows passes every device's memory; sizes in bytes and 32-bit row
/// numbers are safe up to there. `what` is the operation.
inline void check_matrix_rows(std::size_t rows, const char* what) {
  constexpr std::size_t most = std::size_t{1} << 24;
  if (rows > most)
    throw OutOfMemory(std::string(what) + ": the covariance of " + std::to_string(rows) +
                      " points fits no device; at most " + std::to_string(most) + " can be given");
}

}  // namespace carbo::internal
