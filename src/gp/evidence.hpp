#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace carbo::internal {

/// What a model says of every observation when it has seen all others: log densities, or log probabilities.
using LogScores = std::span<const double>;

double total(LogScores scores);

/// The model to go on with: `holder`, unless another's total is higher by more than chance explains: one nat and one
/// standard error of the sum of differences. Where there is no `holder`, the one with the highest total. Ties go to
/// the earlier. At least one model, with the same observations in the same order for all.
std::size_t choose_by_evidence(std::optional<std::size_t> holder, std::span<const LogScores> models);

}  // namespace carbo::internal
