#pragma once

#include "device/contender_view.hpp"
#include "device/covariance_tile.cuh"
#include "device/step_order.cuh"
#include "device/substitution_view.hpp"

namespace carbo::kernels {

static_assert(substitution_block == tile);
inline constexpr std::size_t tile_entries = static_cast<std::size_t>(tile) * tile;

struct SubstitutionArguments {
  CandidateView candidates;
  CandidateList list;
  const SubstitutionTask* tasks;
  int task_count;
  int rows;
  SubstitutionView room;
  WorkCounters* counters;
};

/// Of SubstitutionView::progress: steps of another kind that came first and are done.
__device__ inline unsigned* done_before(const SubstitutionArguments& arguments) {
  return arguments.room.progress + 3;
}

struct SubstitutionStage {
  union {
    CovarianceStage covariance;
    struct {
      double inverse[tile][tile];      // [column][row]
      double covariances[tile][tile];  // [column][candidate]
    } product;
  };
  double squares[tile_groups][tile];
  unsigned long long ticket;
  unsigned reached;  // by a counter, for all threads
};

/// How far a slot is, in counts over all units that have been there.
struct SlotProgress {
  unsigned* made;      // row tiles whose covariances are there
  unsigned* solved;    // row tiles whose squares are there
  unsigned* released;  // units that have left
  unsigned* summed;    // by row tile: chunks
};

/// What a step works on.
struct Slot {
  double* covariances;  // [row][candidate]
  double* sums;         // [row][candidate]
  double* squares;      // [row tile][candidate]
  SlotProgress progress;
  unsigned before;  // units that were in it
};

__device__ inline Slot slot_of(const SubstitutionArguments& arguments, std::size_t unit, int row_tiles) {
  const auto slots = static_cast<std::size_t>(arguments.room.slots);
  const std::size_t at = unit % slots, entries = row_tiles * tile_entries;
  Slot slot;
  slot.covariances = arguments.room.workspace + at * (2 * entries + static_cast<std::size_t>(row_tiles) * tile);
  slot.sums = slot.covariances + entries;
  slot.squares = slot.sums + entries;
  unsigned* const counts = arguments.room.progress + 4 + at * (3 + static_cast<std::size_t>(row_tiles));
  slot.progress = {counts, counts + 1, counts + 2, counts + 3};
  slot.before = static_cast<unsigned>(unit / slots);
  return slot;
}

/// Waits until a counter has reached `least`; what was written before it was raised can then be read. All threads.
__device__ inline void wait_for(const unsigned* counter, unsigned least) {
  if (threadIdx.x == 0) {
    while (*static_cast<const volatile unsigned*>(counter) < least) {
    }
    __threadfence();
  }
  __syncthreads();
}

/// Raises a counter by one after all that this block of threads has written; gives what it was, to all threads.
__device__ inline unsigned raise(unsigned* counter, SubstitutionStage& stage) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    stage.reached = atomicAdd(counter, 1u);
    __threadfence();
  }
  __syncthreads();
  return stage.reached;
}

/// Entries of a tile of L⁻¹ and of covariances, on their way to the stage.
struct TileEntries {
  double inverse[rows_per_thread];
  double covariances[rows_per_thread];
};

/// Row tile r of L⁻¹, and all covariances, which are read after barriers.
struct ProductView {
  const double* left;      // blocks left of the diagonal, beside each other
  const double* diagonal;  // the last one
  std::size_t stride;
  const double* covariances;
};

__device__ inline ProductView product_view(const SubstitutionTask& task, const double* covariances, int r) {
  return {task.gp.lower + static_cast<std::size_t>(r) * tile * task.gp.stride, task.inverse_blocks + r * tile_entries,
          task.gp.stride, covariances};
}

__device__ inline TileEntries load_tiles(const ProductView& view, int r, int c) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const bool own = c == r;
  const double* const from = own ? view.diagonal : view.left + c * tile;
  const std::size_t stride = own ? tile : view.stride;
  TileEntries entries;
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) {
    const int j = group + q * tile_groups;
    entries.inverse[q] = from[j * stride + lane];
    entries.covariances[q] = view.covariances[(c * tile + j) * tile + lane];
  }
  return entries;
}

/// sum[q] = Σ L⁻¹(row, j) k_j for the rows of this thread: the columns of each chunk ascending, then chunk after
/// chunk.
__device__ inline void multiply_chunks(const ProductView& view, const SubstitutionStep& step,
                                       SubstitutionStage& stage, double (&sum)[rows_per_thread]) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const int first = step.first * chunk_blocks;
  const int last = min((step.last + 1) * chunk_blocks - 1, step.row_tile);
  double own[rows_per_thread] = {};
  TileEntries next = load_tiles(view, step.row_tile, first);
  for (int c = first; c <= last; ++c) {
#pragma unroll
    for (int q = 0; q < rows_per_thread; ++q) {
      stage.product.inverse[group + q * tile_groups][lane] = next.inverse[q];
      stage.product.covariances[group + q * tile_groups][lane] = next.covariances[q];
    }
    __syncthreads();
    if (c < last) next = load_tiles(view, step.row_tile, c + 1);
#pragma unroll 4
    for (int j = 0; j < tile; ++j) {
      const double right = stage.product.covariances[j][lane];
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q)
        own[q] = fma(stage.product.inverse[j][rows_per_thread * group + q], right, own[q]);
    }
    __syncthreads();
    if (c != last && (c + 1) % chunk_blocks != 0) continue;
#pragma unroll
    for (int q = 0; q < rows_per_thread; ++q) {
      sum[q] += own[q];
      own[q] = 0.0;
    }
  }
}

/// Squares of a row tile of v, for each candidate in the order of `pass_first_rows`.
__device__ inline void store_squares(const double (&v)[rows_per_thread], SubstitutionStage& stage, double* squares) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  double own = 0.0;
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) own = fma(v[q], v[q], own);
  stage.squares[group][lane] = own;
  __syncthreads();
  if (group != 0) return;
  double total = 0.0;
  for (int g = 0; g < tile_groups; ++g) total += stage.squares[g][lane];
  squares[lane] = total;
}

/// The candidate of this thread's lane.
struct Listed {
  std::size_t candidate;
  bool wanted;
};

/// The variance from the squares of all row tiles, ascending.
__device__ inline void store_variance(const SubstitutionArguments& arguments, const SubstitutionTask& task,
                                      const Slot& slot, const Listed& listed, int row_tiles) {
  if (threadIdx.x >= tile || !listed.wanted) return;
  double total = 0.0;
  for (int r = 0; r < row_tiles; ++r) total += slot.squares[r * tile + threadIdx.x];
  task.target.bases[listed.candidate] = task.target.squared_scale * (task.gp.signal_variance - total);
  if (task.target.solved != nullptr)
    task.target.solved[listed.candidate] = static_cast<std::uint32_t>(arguments.rows);
  if (arguments.counters == nullptr) return;
  const auto rows = static_cast<unsigned long long>(arguments.rows);
  atomicAdd(&arguments.counters->rows, rows * rows);
  if (arguments.rows == task.gp.observed) atomicAdd(&arguments.counters->finished, 1ull);
}

__device__ inline void make_covariances(const SubstitutionArguments& arguments, const SubstitutionTask& task,
                                        const Slot& slot, const Listed& listed, int r, SubstitutionStage& stage) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  double k[rows_per_thread];
  tile_correlations(arguments.candidates, task.gp, listed.candidate, r * tile, arguments.rows, stage.covariance, k);
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q)
    slot.covariances[(r * tile + rows_per_thread * group + q) * tile + lane] = task.gp.signal_variance * k[q];
}

/// Adds chunks to a row tile of v; the last one makes squares of it.
__device__ inline void add_chunks(const SubstitutionTask& task, const Slot& slot, const SubstitutionStep& step,
                                  SubstitutionStage& stage) {
  const int lane = threadIdx.x % tile;
  const int group = threadIdx.x / tile;
  const int chunks = chunks_of(step.row_tile);
  double sum[rows_per_thread] = {};
  multiply_chunks(product_view(task, slot.covariances, step.row_tile), step, stage, sum);
  double* const before = slot.sums + (step.row_tile * tile + rows_per_thread * group) * tile + lane;
  if (step.first > 0) {
    wait_for(slot.progress.summed + step.row_tile,
             slot.before * static_cast<unsigned>(chunks - 1) + static_cast<unsigned>(step.first));
#pragma unroll
    for (int q = 0; q < rows_per_thread; ++q) sum[q] = before[q * tile] + sum[q];
  }
  if (step.last + 1 == chunks) return store_squares(sum, stage, slot.squares + step.row_tile * tile);
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) before[q * tile] = sum[q];
}

/// `before`: steps of another kind that read which rows are solved.
__device__ inline void take_step(const SubstitutionArguments& arguments, const SubstitutionStep& step,
                                 std::size_t size, int row_tiles, unsigned before, SubstitutionStage& stage) {
  const auto tasks = static_cast<std::size_t>(arguments.task_count);
  const SubstitutionTask& task = arguments.tasks[step.unit % tasks];
  const std::size_t place = step.unit / tasks * tile + threadIdx.x % tile;
  Listed listed{list_at(arguments.list, place < size ? place : size - 1), place < size};
  if (task.target.solved != nullptr)
    listed.wanted =
        listed.wanted && task.target.solved[listed.candidate] < static_cast<std::uint32_t>(arguments.rows);
  const bool any = __syncthreads_or(listed.wanted) != 0;
  const Slot slot = slot_of(arguments, step.unit, row_tiles);
  const auto all = static_cast<unsigned>(row_tiles);
  if (step.first < 0) {
    wait_for(slot.progress.released, slot.before);
    if (any) make_covariances(arguments, task, slot, listed, step.row_tile, stage);
    raise(slot.progress.made, stage);
    return;
  }
  wait_for(slot.progress.made, (slot.before + 1) * all);
  if (any) add_chunks(task, slot, step, stage);
  if (step.last + 1 < chunks_of(step.row_tile)) {
    raise(slot.progress.summed + step.row_tile, stage);
    return;
  }
  if (raise(slot.progress.solved, stage) + 1 != (slot.before + 1) * all) return;
  wait_for(done_before(arguments), before);
  if (any) store_variance(arguments, task, slot, listed, row_tiles);
  raise(slot.progress.released, stage);
}

/// The last block of threads leaves everything as it was found.
__device__ inline void leave(const SubstitutionArguments& arguments, int row_tiles, SubstitutionStage& stage) {
  if (raise(arguments.room.progress + 2, stage) + 1 != gridDim.x) return;
  const int counts = 4 + arguments.room.slots * (3 + row_tiles);
  for (int i = threadIdx.x; i < counts; i += tile_threads) arguments.room.progress[i] = 0;
}

/// Steps of all blocks of threads, in the order of their tickets: `before` of another kind by first(ticket), who may
/// use the stage's memory after a barrier, then those of the substitution.
template <class First>
__device__ inline void take_steps(const SubstitutionArguments& arguments, std::size_t before, const First& first,
                                  SubstitutionStage& stage) {
  const std::size_t size = list_size(arguments.list);
  const int row_tiles = (arguments.rows + tile - 1) / tile;
  const StepOrder order{(size + tile - 1) / tile * static_cast<std::size_t>(arguments.task_count),
                        static_cast<std::size_t>(arguments.room.slots) / 2, row_tiles};
  const std::size_t steps = before + order.steps();
  for (;;) {
    if (threadIdx.x == 0)
      stage.ticket = atomicAdd(reinterpret_cast<unsigned long long*>(arguments.room.progress), 1ull);
    __syncthreads();
    const std::size_t ticket = stage.ticket;
    if (ticket >= steps) break;
    if (ticket < before) {
      first(ticket);
      raise(done_before(arguments), stage);
    } else {
      take_step(arguments, order.at(ticket - before), size, row_tiles, static_cast<unsigned>(before), stage);
    }
  }
  leave(arguments, row_tiles, stage);
}

}  // namespace carbo::kernels
