#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/candidate_backend.hpp"
#include "backend/field_backend.hpp"
#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// A GP and its posterior over Ω̃, advanced together as points are fantasised.
struct Member {
  GpFactor* factor = nullptr;
  Field* field = nullptr;
};

/// Posteriors over all candidates.
class PosteriorBackend {
 public:
  virtual ~PosteriorBackend() = default;

  /// Posterior mean over all candidates, and the variance if `with_variance` (the O(n²·m) part). `offset`, where
  /// given, is added to the mean.
  virtual std::unique_ptr<Field> sweep(const GpFactor& factor, const CandidateSet& candidates, bool with_variance,
                                       Affine units = {}, const Field* offset = nullptr) = 0;

  /// The same mean for SearchSetup::log_cost alone: a search may compute it where it needs it. The factor and the
  /// candidates must outlive it.
  virtual std::unique_ptr<Field> sweep_for_search(const GpFactor& factor, const CandidateSet& candidates,
                                                  Affine units = {}, const Field* offset = nullptr) {
    return sweep(factor, candidates, false, units, offset);
  }

  /// Fantasises `point` in every member (whose fields are in standardised units): factor and field advance by one
  /// rank-one pass. `normals` holds one standard normal z a fantasy over all members; a field of one mean is first
  /// spread to normals.size() / members.size() means. Returns the fantasised values y* = μ⁽ⁱ⁾(x*) + ℓ·z_i, noise
  /// included.
  virtual std::vector<double> fantasise(std::span<const Member> members, const CandidateSet& candidates,
                                        std::span<const double> point, std::span<const double> normals) = 0;
};

}  // namespace carbo::internal
