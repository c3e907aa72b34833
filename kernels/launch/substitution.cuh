#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"

namespace carbo::kernels {

/// Rows of L that are eliminated together, and whose diagonal block is inverted beforehand.
inline constexpr int substitution_block = 32;

/// Posterior of one GP over all candidates, as forward substitution fills it in.
struct VarianceTarget {
  double* bases = nullptr;          ///< squared_scale · (k(x,x) − ‖v‖²) over the rows that are solved
  std::uint32_t* solved = nullptr;  ///< rows that a base is made of; null: not kept
  double squared_scale = 1;
};

struct SubstitutionTask {
  GpView gp;
  VarianceTarget target;
  const double* inverse_blocks = nullptr;  ///< see launch_invert_blocks
};

/// Inverses of the diagonal blocks of L, column-major blocks of substitution_block², zero above the diagonal and
/// beyond the last row. `blocks`: room for all of them.
cudaError_t launch_invert_blocks(cudaStream_t stream, const GpView& gp, double* blocks);
inline std::size_t inverse_blocks_size(std::size_t rows) {
  constexpr std::size_t block = substitution_block;
  return (rows + block - 1) / block * block * block;
}

/// Doubles of workspace a resident block of threads, for so many rows.
inline std::size_t substitution_workspace(std::size_t rows) {
  constexpr std::size_t block = substitution_block;
  return (rows + block - 1) / block * block * block;
}

/// v = L⁻¹k over the first `rows` observed rows for every listed candidate of which fewer are solved, and from it the
/// variance; `rows` is all of them or a multiple of substitution_block. A candidate's result has the same bits in any
/// list. `tasks`: device memory, GPs of equal size. `resident`: blocks of threads a task at a time, each with
/// substitution_workspace. `counters` may be null.
cudaError_t launch_substitution(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                                const SubstitutionTask* tasks, int task_count, int rows, int resident,
                                double* workspace, WorkCounters* counters);

void add_substitution_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
