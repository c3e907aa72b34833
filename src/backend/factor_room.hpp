#pragma once

#include <algorithm>
#include <cstddef>

#include <carbo/memory_plan.hpp>

namespace carbo::internal {

inline constexpr std::size_t double_bytes = sizeof(double);
/// Doubles that follow a row of a square matrix, at most.
inline constexpr std::size_t most_row_padding = 48;

/// Factors have spare rows and columns: an eighth of those that they were made with, and a quarter more once these
/// are used up.
constexpr std::size_t first_capacity(std::size_t rows) { return rows + std::max<std::size_t>(64, rows / 8); }
constexpr std::size_t grown_capacity(std::size_t rows, std::size_t capacity) {
  return std::max(rows, capacity + capacity / 4);
}

/// Bytes of models are reckoned in double, because batches of millions pass what 64 bits hold.
constexpr std::size_t whole_bytes(double bytes) { return static_cast<std::size_t>(std::min(bytes, 0x1p60)); }

/// The most that a factor of so many rows takes once `batch` points were fantasised.
constexpr double factor_bytes(std::size_t rows, std::size_t batch) {
  const double made = static_cast<double>(first_capacity(rows));
  const double grown = 1.25 * (static_cast<double>(rows) + static_cast<double>(batch));
  const double capacity = std::max(made, grown) + most_row_padding;
  return capacity * capacity * double_bytes;
}

/// Points left out of models of so many rows, up to eight for each: what every factor has of them, and what learning
/// from them takes beside (copies by coordinate and in blocks, weights, residuals, directions).
constexpr double left_out_bytes(const MemoryRequest& request, std::size_t rows, std::size_t factors) {
  if (request.observations <= rows) return 0;
  const std::size_t points = std::min(request.observations - rows, 8 * rows);
  const std::size_t numbers =
      factors * (request.columns + 1) + (1 + request.cost_factors) * (4 * request.columns + 16);
  return static_cast<double>(points) * static_cast<double>(numbers * double_bytes);
}

/// Of both models, the cost's once more where timeouts are imputed, those of fantasies with hyperparameters of their
/// own, and one that is made while the last one still stands; the weights of responses, and what is left out.
constexpr double factors_bytes(const MemoryRequest& request, std::size_t rows) {
  const std::size_t of_cost = request.cost_factors + (request.cost_factors > 0 ? 1 : 0);
  const std::size_t of_fantasies = request.factors > 1 ? request.factors : 0;
  const std::size_t factors = 2 + of_cost + of_fantasies;
  const double weights = static_cast<double>(request.factors) * static_cast<double>(request.batch) *
                         static_cast<double>(rows + request.batch) * double_bytes;
  return static_cast<double>(factors) * factor_bytes(rows, request.batch) + weights +
         left_out_bytes(request, rows, factors);
}

}  // namespace carbo::internal
