#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/gp_backend.hpp"
#include "gp/surrogate.hpp"

namespace carbo::internal {

/// Whole functions drawn from the posterior of a GP, noise not included, as what they add to its mean: by Matheron's
/// rule that is
///
///     g(x) − k(x, X) (K + σ²C⁻¹)⁻¹ (g(X) + ε),
///
/// with g a draw from the prior without its mean and ε one of the rows' noise. g is a sum of cosines whose
/// frequencies are drawn from the spectrum of the covariance (Student's t with 5 degrees of freedom for Matérn-5/2):
/// its covariance is right on average, and to a few per cent of the signal variance in one draw.
class PosteriorDraws {
 public:
  /// Factors the surrogate's rows anew. Throws NumericalError.
  PosteriorDraws(GpBackend& backend, const Surrogate& surrogate);

  /// Turns to the draw of that number; call it before the next.
  void turn_to(std::uint64_t seed, std::uint64_t number);
  /// Adds what the draw adds to the mean at encoded points.
  void add_to(MatrixView points, std::span<double> values) const;

 private:
  double prior_at(std::span<const double> point) const;

  TrainingData rows_;
  GpParameters parameters_;  ///< with a mean of 0
  std::unique_ptr<GpFactor> factor_;
  std::vector<double> frequencies_;  ///< columns × waves
  std::vector<double> amplitudes_, phases_;
};

}  // namespace carbo::internal
