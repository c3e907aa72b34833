#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cpu/scratch.hpp"
#include "support/thread_pool.hpp"

namespace carbo::bench {

/// The least that any pass over n rows and m candidates can do: squared distances and one weighted sum of Matérn
/// correlations a candidate, on all cores, with the product's own row loops at the
/// level that runs. The limit that passes are held against.
class MaternPass {
 public:
  /// `points` is n × columns, `candidates` m × columns, both divided by the lengthscales here; n `weights`.
  MaternPass(internal::MatrixView points, internal::MatrixView candidates,
             std::span<const double> inverse_lengthscales, std::vector<double> weights);

  void run();
  /// Σ_i weights[i] · Matern52(point i, candidate) of the last run, one a candidate; padding follows.
  std::span<const double> sums() const { return sums_; }

 private:
  std::size_t columns_;
  std::vector<double> weights_;    ///< one a row
  std::vector<double> points_;     ///< columns × rows
  internal::Scratch coordinates_;  ///< panels of columns × panel_width
  std::vector<double> sums_;
  internal::ThreadPool pool_;
};

}  // namespace carbo::bench
