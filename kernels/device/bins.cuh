#pragma once

namespace carbo::kernels {

/// Bins of a histogram in shared memory.
inline constexpr int bin_count = 256;

struct BinStage {
  unsigned bins[bin_count];
  unsigned before;  ///< entries in the bins before `found`
  int found;
};

/// The first bin with which `rank` entries (at least 1) are reached, counted from bin 0, and how many there are
/// before it; the last bin where there are fewer. All threads of the block call it, at least bin_count of them; bins
/// become running sums.
__device__ inline void find_bin(BinStage& stage, unsigned rank) {
  const int thread = static_cast<int>(threadIdx.x);
  const bool own = thread < bin_count;
  __syncthreads();
  for (int step = 1; step < bin_count; step *= 2) {
    const unsigned more = own && thread >= step ? stage.bins[thread - step] : 0u;
    __syncthreads();
    if (own) stage.bins[thread] += more;
    __syncthreads();
  }
  if (own) {
    const unsigned before = thread == 0 ? 0u : stage.bins[thread - 1];
    const bool reached = stage.bins[thread] >= rank || thread == bin_count - 1;
    if (reached && before < rank && (thread == 0 || stage.bins[thread - 1] < rank)) {
      stage.found = thread;
      stage.before = before;
    }
  }
  __syncthreads();
}

}  // namespace carbo::kernels
