#pragma once

#include "device/float_variance_tile.cuh"

namespace carbo::kernels {

/// Rows of L⁻¹ that a block of tile_threads threads rounds: one a lane, their columns by groups.
inline constexpr int prepared_rows = tile;
static_assert(variance_pass_rows % prepared_rows == 0 && prepared_rows == substitution_block);

/// s L⁻¹(row, column) of the rows that there are; 0 above the diagonal.
__device__ inline double inverse_at(const ScreenTask& task, double deviation, int row, int column) {
  if (row >= task.variance.rows || column > row) return 0.0;
  const int r = row / tile, c = column / tile;
  const double* const from =
      r == c ? task.variance.inverse_blocks + static_cast<std::size_t>(r) * tile * tile +
                   static_cast<std::size_t>(column % tile) * tile
             : task.gp.lower + static_cast<std::size_t>(r * tile + column % tile) * task.gp.stride + c * tile;
  return deviation * from[row % tile];
}

/// Rows from prepared_rows · block on, rounded and with their units. All threads call it.
__device__ inline void prepare_variance_rows(const ScreenTask& task, int block) {
  __shared__ double largest[tile_groups][tile];
  __shared__ double totals[tile_groups][tile];
  __shared__ float units[tile];
  const VarianceScreen& screen = task.variance;
  const int lane = threadIdx.x % tile, group = threadIdx.x / tile;
  const int row = block * prepared_rows + lane;
  const double deviation = sqrt(task.gp.signal_variance);
  double own_largest = 0.0, own_total = 0.0;
  for (int column = group; column < screen.rows; column += tile_groups) {
    const double size = fabs(inverse_at(task, deviation, row, column));
    own_largest = size > own_largest ? size : own_largest;
    own_total += size;
  }
  largest[group][lane] = own_largest;
  totals[group][lane] = own_total;
  __syncthreads();
  if (group == 0) {
    for (int g = 1; g < tile_groups; ++g) {
      own_largest = largest[g][lane] > own_largest ? largest[g][lane] : own_largest;
      own_total += totals[g][lane];
    }
    FloatVarianceRow made = float_variance_row(own_largest, own_total, static_cast<double>(task.gp.columns));
    made.slack *= static_cast<float>(task.margin_share);
    screen.units[row] = made;
    units[lane] = made.unit;
  }
  __syncthreads();
  const double scale = static_cast<double>(inverse_of_unit(units[lane]));
  for (int column = group; column < screen.rows; column += tile_groups)
    screen.inverse[column * screen.stride + row] =
        static_cast<float>(scale * inverse_at(task, deviation, row, column));
}

/// Whether a screen's bounds are near what they bound, by the median over one tile of candidates, those of this
/// thread's lane `i`. All threads call it; one of them gets the answer, the others `unknown`.
enum class NearBounds { unknown, no, yes };

__device__ inline NearBounds bounds_are_near(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                             double floor, VarianceStage& stage) {
  __shared__ double excesses[variance_lanes];
  const double prior = task.gp.signal_variance;
  const int thread = threadIdx.x;
  const FloatExplained explained = explained_by(candidates, task, i, stage);
  if (thread < variance_lanes) {
    const double usual = prior * (1.0 - explained.all);
    const double excess = float_variance(prior, explained.certain) / (usual > floor ? usual : floor);
    excesses[thread] = isnan(excess) ? HUGE_VAL : excess;
  }
  __syncthreads();
  if (thread >= variance_lanes) return NearBounds::unknown;
  int before = 0;
  for (int other = 0; other < variance_lanes; ++other)
    before += excesses[other] < excesses[thread] || (excesses[other] == excesses[thread] && other < thread) ? 1 : 0;
  if (before != variance_lanes / 2) return NearBounds::unknown;
  constexpr double most = (1.0 + worthwhile_excess) * (1.0 + worthwhile_excess);
  return excesses[thread] < most ? NearBounds::yes : NearBounds::no;
}

}  // namespace carbo::kernels
