#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/matrix_view.hpp"
#include "gp/fit.hpp"

namespace carbo::internal {

/// Observations with the copies of every point brought together in one row: their mean, with the noise that a mean of
/// so many has. Nothing is lost by it. With n_i copies of row i, S their squares about their means and n of k rows,
///
///     log p(all) = log p(means | noise σ²/n_i) − ½ [(n − k) log 2πσ² + Σ log n_i + S/σ²],
///
/// and the posterior given the means is the posterior given all.
struct MergedCopies {
  TrainingData rows;  ///< distinct points in the order in which they first came; counts where any differ
  std::vector<std::size_t> row_of;  ///< of each observation
};

/// `observations` without counts.
MergedCopies merge_copies(const TrainingData& observations);

/// What copies add to the log likelihood of the rows' means, and to its derivative in log σ².
struct CopyTerms {
  double log_likelihood = 0;
  double gradient = 0;
};

/// 0 where `counts` is empty. `squares`: of each row's observations about their mean.
CopyTerms copy_terms(std::span<const double> counts, std::span<const double> squares, double noise_variance);

/// Prediction of each observation from all others, out of the prediction of each row's mean from all other rows.
/// `row_of` and `targets` of the observations, none of a row that is not there.
LeaveOneOut left_out_observations(const LeaveOneOut& left_out_rows, const TrainingData& rows,
                                  std::span<const std::size_t> row_of, std::span<const double> targets,
                                  const GpParameters& parameters);

}  // namespace carbo::internal
