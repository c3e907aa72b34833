#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"
#include "launch/inverse.cuh"

namespace carbo::kernels {

/// Rows of L⁻¹, and candidates, that are multiplied together.
inline constexpr int substitution_block = inverse_block;

/// Posterior of one GP over all candidates, as v = L⁻¹k fills it in.
struct VarianceTarget {
  double* bases = nullptr;          ///< squared_scale · (k(x,x) − ‖v‖²) over the rows that are solved
  std::uint32_t* solved = nullptr;  ///< rows that a base is made of; null: not kept
  double squared_scale = 1;
};

struct SubstitutionTask {
  GpView gp;  ///< with its inverse above L
  VarianceTarget target;
  const double* inverse_blocks = nullptr;  ///< those on the diagonal; see launch_inverse
};

/// Where tiles of candidates are worked on, `slots` at a time, by all blocks of threads together. Steps are taken in
/// the order of a ticket, and wait only for steps of lower tickets, which others have taken: any number of blocks
/// gets through, resident or not.
struct SubstitutionView {
  double* workspace = nullptr;   ///< substitution_workspace for each slot
  unsigned* progress = nullptr;  ///< substitution_progress; zero before the first launch, and after every one
  int slots = 2;                 ///< an even number
  int blocks = 1;                ///< of threads
};

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
