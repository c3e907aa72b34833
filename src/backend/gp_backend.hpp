#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// GPs over observed points: what fits them, and what they become once they are fitted.
class GpBackend {
 public:
  virtual ~GpBackend() = default;

  /// All requests at once (lockstep restarts, both GPs); `values` has the size of `requests`.
  virtual void likelihoods(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) = 0;

  /// One factor a parameter set over the same points and targets, as one batched Cholesky. `counts` as in
  /// LikelihoodRequest. Jitter rises as in `jitter_policy.hpp`; throws NumericalError beyond its end.
  virtual std::vector<std::unique_ptr<GpFactor>> factor(MatrixView points, std::span<const double> targets,
                                                        std::span<const GpParameters> parameters,
                                                        std::span<const double> counts = {}) = 0;
};

}  // namespace carbo::internal
