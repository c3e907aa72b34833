#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/matrix_view.hpp"

namespace carbo::internal {

/// The order in which observations are best given to Backend::factor. Bounds on variances come from its first rows:
/// the best observed interleaved with the one farthest from all before it explain most, wherever the candidates are.
/// Distances are in units of 1 / inverse_lengthscales where these are given. Row i of the factor is row order[i].
std::vector<std::size_t> spread_and_best_order(MatrixView points, std::span<const double> targets,
                                               std::span<const double> inverse_lengthscales = {});

}  // namespace carbo::internal
