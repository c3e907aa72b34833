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
/// before it; the last bin where there are fewer. All threads of the block call it, a warp at least.
__device__ inline void find_bin(BinStage& stage, unsigned rank) {
  constexpr int warp = 32, each = bin_count / warp;
  __syncthreads();
  if (threadIdx.x < warp) {
    const int lane = static_cast<int>(threadIdx.x);
    unsigned own = 0;
    for (int k = 0; k < each; ++k) own += stage.bins[lane * each + k];
    unsigned reached = own;
    for (int step = 1; step < warp; step *= 2) {
      const unsigned more = __shfl_up_sync(0xffffffffu, reached, step);
      if (lane >= step) reached += more;
    }
    unsigned before = reached - own;
    if (before < rank && (rank <= reached || lane == warp - 1)) {
      int bin = lane * each;
      while (bin + 1 < (lane + 1) * each && before + stage.bins[bin] < rank) before += stage.bins[bin++];
      stage.found = bin;
      stage.before = before;
    }
  }
  __syncthreads();
}

}  // namespace carbo::kernels
