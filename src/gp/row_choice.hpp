#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gp/fit.hpp"

namespace carbo::internal {

/// The `count` of more rows that a GP learns most from, ascending: a tenth of them the lowest, a tenth the latest,
/// and of the others always the one that is farthest from all taken before it. Distances are in lengthscales, with a
/// standard deviation of the targets as long as one: where the function is steep more rows are kept.
std::vector<std::size_t> choose_rows(const TrainingData& rows, std::size_t count,
                                     std::span<const double> inverse_lengthscales);

/// `count` of `rows` rows, ascending, by lot: as likely from one place as from another, whatever the order in which
/// rows came. The same at every call, and a row that joins changes at most one.
std::vector<std::size_t> sample_rows(std::size_t rows, std::size_t count);

}  // namespace carbo::internal
