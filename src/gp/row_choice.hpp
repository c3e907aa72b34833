#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gp/fit.hpp"

namespace carbo::internal {

/// The `count` of more rows that a GP learns most from, ascending: a tenth of them the lowest, a tenth the latest,
/// and of the others always the one that is farthest from all taken before it. Distances are in lengthscales, with a
/// standard deviation of the targets as long as one: where the function is steep more rows are kept.
std::vector<std::size_t> choose_rows(const TrainingData& rows, std::size_t count,
                                     std::span<const double> inverse_lengthscales);

/// Rows in random order, the first `count` of it, ascending: as likely from one place as from another, whatever the
/// order in which rows came. A row that joins changes at most one.
std::vector<std::size_t> random_rows(std::size_t rows, std::size_t count, std::uint64_t seed);

}  // namespace carbo::internal
