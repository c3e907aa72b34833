#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/candidates.hpp"
#include "backend/cpu/factor.hpp"
#include "backend/cpu/field.hpp"
#include "backend/cpu/scratch.hpp"

namespace carbo::internal {

/// Posterior of the observed rows over all candidates; see Backend::sweep.
std::unique_ptr<CpuField> sweep_candidates(ScratchPool& scratch, const CpuFactor& factor,
                                           const CpuCandidates& candidates, bool with_variance, Affine units,
                                           const CpuField* offset);

/// One field and the fantasised point that it has not seen yet.
struct FantasyPass {
  const CpuFactor* factor = nullptr;  ///< with the point as its last row
  CpuField* field = nullptr;          ///< as many means as `normals`
  std::span<const double> normals;
};

/// r(x) for every candidate, then s² ← s² − r² and μ⁽ⁱ⁾ ← μ⁽ⁱ⁾ + r z_i, for all passes at once.
void apply_fantasies(ScratchPool& scratch, const CpuCandidates& candidates, std::span<const FantasyPass> passes);

}  // namespace carbo::internal
