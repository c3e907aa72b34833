#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"
#include "device/substitution_view.hpp"
#include "launch/inverse.cuh"

namespace carbo::kernels {

static_assert(substitution_block == inverse_block);

/// Doubles of a slot, for so many rows: covariances, sums, squares.
inline std::size_t substitution_workspace(std::size_t rows) {
  constexpr std::size_t block = substitution_block;
  return (rows + block - 1) / block * block * (2 * block + 1);
}
/// Numbers that say how far `slots` are.
inline std::size_t substitution_progress(std::size_t rows, std::size_t slots) {
  constexpr std::size_t block = substitution_block;
  return 4 + slots * (3 + (rows + block - 1) / block);
}

/// v = L⁻¹k over the first `rows` observed rows for every listed candidate of which fewer are solved, and from it the
/// variance; `rows` is all of them or a multiple of substitution_block. A candidate's result has the same bits in any
/// list, and that of fewer rows is what that of more begins with. `tasks`: device memory, GPs of equal size.
/// `counters` may be null.
cudaError_t launch_substitution(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                                const SubstitutionTask* tasks, int task_count, int rows, const SubstitutionView& room,
                                WorkCounters* counters);

void add_substitution_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
