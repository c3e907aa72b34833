#include "launch/screen.cuh"

#include "acquisition/float_margin.hpp"
#include "device/block_sum.cuh"
#include "device/float_tile.cuh"
#include "device/float_variance_rows.cuh"
#include "device/grid_stride.cuh"
#include "device/task_walk.cuh"

namespace carbo::kernels {
namespace {

constexpr int prepare_threads = 256;
constexpr int choose_threads = 256;
constexpr int choose_groups = choose_threads / screen_samples;
constexpr int screen_residents = 6;
static_assert(screen_rows == float_rows && choose_threads == tile_threads && prepare_threads == tile_threads);

__device__ inline double higher_of(double a, double b) { return b > a ? b : a; }

/// The greatest over a block of `prepare_threads`, for every thread.
__device__ inline double block_greatest(double value, double (&scratch)[prepare_threads]) {
  const int thread = threadIdx.x;
  scratch[thread] = value;
  __syncthreads();
  for (int half = prepare_threads / 2; half > 0; half /= 2) {
    if (thread < half) scratch[thread] = higher_of(scratch[thread], scratch[thread + half]);
    __syncthreads();
  }
  const double found = scratch[0];
  __syncthreads();
  return found;
}

/// Point and weight of a row of both kinds.
__device__ inline double row_coordinate(const ScreenTask& task, int row, int column) {
  const GpView& gp = row < task.gp.observed ? task.gp : task.background;
  return gp.points[column * gp.stride + (row < task.gp.observed ? row : row - task.gp.observed)];
}
__device__ inline double row_weight(const ScreenTask& task, int row) {
  const GpView& gp = row < task.gp.observed ? task.gp : task.background;
  return gp.signal_variance * gp.weights[row < task.gp.observed ? row : row - task.gp.observed];
}

/// Candidate of a sample out of so many.
__device__ inline std::size_t sample_at(std::size_t size, int place) {
  return (2 * static_cast<std::size_t>(place) + 1) * size / (2 * screen_samples);
}

/// blockIdx.y is the task; its first block makes rows for means, the others those for variances.
__global__ void __launch_bounds__(prepare_threads)
    prepare_screens(const ScreenTask* tasks, std::size_t size, ListBuffer sample) {
  __shared__ double scratch[prepare_threads];
  const ScreenTask& task = tasks[blockIdx.y];
  if (blockIdx.x > 0) {
    if (task.variance.rows > 0) prepare_variance_rows(task, static_cast<int>(blockIdx.x) - 1);
    return;
  }
  const int rows = task.gp.observed + task.background.observed;
  const int thread = threadIdx.x;
  for (int c = 0; c < task.gp.columns; ++c) {
    double high = -HUGE_VAL, minus_low = -HUGE_VAL;
    for (int row = thread; row < task.gp.observed; row += prepare_threads) {
      high = higher_of(high, row_coordinate(task, row, c));
      minus_low = higher_of(minus_low, -row_coordinate(task, row, c));
    }
    high = block_greatest(high, scratch);
    minus_low = block_greatest(minus_low, scratch);
    if (thread == 0) task.centre[c] = 0.5 * high - 0.5 * minus_low;
  }
  double unit = 0.0, weights = 0.0, radius = 0.0;
  for (int row = thread; row < rows; row += prepare_threads) {
    unit = higher_of(unit, fabs(row_weight(task, row)));
    weights += fabs(row_weight(task, row));
  }
  unit = block_greatest(unit, scratch);
  weights = block_sum(weights, scratch);
  for (int row = thread; row < static_cast<int>(task.stride); row += prepare_threads) {
    double squares = 0.0;
    for (int c = 0; c < task.gp.columns; ++c) {
      const double coordinate = row < rows ? sqrt_5 * (row_coordinate(task, row, c) - task.centre[c]) : 0.0;
      squares = fma(coordinate, coordinate, squares);
      task.points[c * task.stride + row] = static_cast<float>(coordinate);
    }
    task.weights[row] = row < rows && unit > 0.0 ? static_cast<float>(row_weight(task, row) / unit) : 0.0f;
    radius = higher_of(radius, sqrt(squares));
  }
  radius = block_greatest(radius, scratch);
  if (thread == 0) *task.scales = {unit, weights, radius};
  if (blockIdx.y != 0) return;
  if (thread < screen_samples) sample.indices[thread] = static_cast<std::uint32_t>(sample_at(size, thread));
  if (thread == 0) *sample.count = screen_samples;
}

/// Margin of a sum that came out of float32 with `absolute`, in the GP's own units; infinite where there is none.
__device__ inline double margin_of(const ScreenTask& task, double squares, double absolute) {
  const ScreenScales scales = *task.scales;
  const double reach = sqrt(squares) + scales.radius;
  const double columns = static_cast<double>(task.gp.columns);
  if (!float_margin_exists(reach, columns)) return HUGE_VAL;
  const double rows = static_cast<double>(task.gp.observed + task.background.observed);
  return task.margin_share * float_sum_margin(scales.unit * absolute, scales.weights, reach, columns, rows);
}

/// Of the first task, by every other candidate of the sample.
__device__ inline void choose_variances(const CandidateView& candidates, const ScreenTask& task, bool forced,
                                        const VarianceChoice& choice) {
  static_assert(screen_samples == 2 * variance_lanes);
  __shared__ VarianceStage stage;
  const int lane = static_cast<int>(threadIdx.x) % variance_lanes;
  const NearBounds near =
      bounds_are_near(candidates, task, sample_at(candidates.size, 2 * lane), choice.floor, stage);
  if (near != NearBounds::unknown) *choice.chosen = forced || near == NearBounds::yes ? 1 : 0;
}

/// One block a choice, and one more for that of variances; thread (lane, group) has candidate `lane` of the sample
/// and a share of the rows.
__global__ void __launch_bounds__(choose_threads)
    choose_screens(CandidateView candidates, const ScreenTask* tasks, const ScreenChoice* choices, int choice_count,
                   VarianceChoice of_variances, bool forced, WorkCounters* counters) {
  if (static_cast<int>(blockIdx.x) == choice_count) return choose_variances(candidates, *tasks, forced, of_variances);
  __shared__ double absolutes[choose_groups][screen_samples];
  __shared__ double margins[screen_samples];
  const ScreenChoice& choice = choices[blockIdx.x];
  const ScreenTask& task = tasks[choice.task];
  const int lane = threadIdx.x % screen_samples;
  const int group = threadIdx.x / screen_samples;
  const std::size_t i = sample_at(candidates.size, lane);
  const int rows = static_cast<int>(task.stride);
  float absolute = 0.0f;
  for (int row = group; row < rows; row += choose_groups) {
    float squared = 0.0f;
    for (int c = 0; c < task.gp.columns; ++c) {
      const auto x = static_cast<float>(screened_coordinate(candidates, task.gp, task.centre, i, c));
      const float difference = x - task.points[c * task.stride + row];
      squared = fmaf(difference, difference, squared);
    }
    absolute = fmaf(fabsf(task.weights[row]), matern_float(squared), absolute);
  }
  absolutes[group][lane] = absolute;
  __syncthreads();
  if (group == 0) {
    double squares = 0.0, sum = 0.0;
    for (int c = 0; c < task.gp.columns; ++c) {
      const double coordinate = screened_coordinate(candidates, task.gp, task.centre, i, c);
      squares = fma(coordinate, coordinate, squares);
    }
    for (int g = 0; g < choose_groups; ++g) sum += absolutes[g][lane];
    const double margin = fabs(task.scale) * margin_of(task, squares, sum);
    margins[lane] = choice.bases == nullptr ? margin : margin / sqrt(higher_of(choice.bases[i], choice.floor));
  }
  __syncthreads();
  if (group != 0) return;
  int before = 0;
  for (int other = 0; other < screen_samples; ++other)
    before += margins[other] < margins[lane] || (margins[other] == margins[lane] && other < lane) ? 1 : 0;
  if (before != screen_samples / 2) return;
  const bool worthwhile = forced || margins[lane] < worthwhile_margin;
  *choice.chosen = worthwhile ? 1 : 0;
  if (worthwhile) atomicAdd(&counters->screened, choice.means);
}

struct MeanStage {
  ScreenStage<screen_rows, screen_threads> rows;
  alignas(16) float weights[screen_rows];
  alignas(16) float sizes[screen_rows];  // of the weights
};

__device__ inline void screen_mean(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                   MeanStage& stage) {
  const bool inside = i < candidates.size;
  const std::size_t own = inside ? i : candidates.size - 1;
  const double squares = keep_candidate(candidates, task, own, stage.rows);
  double sum = 0.0, absolute = 0.0;
  FloatPair pair;
  float sizes = 0.0f;
  const int rows = static_cast<int>(task.stride);
  for (int first = task.first_row; first < rows; first += screen_rows) {
    __syncthreads();
    if (threadIdx.x < screen_rows) {
      const float weight = task.weights[first + threadIdx.x];
      stage.weights[threadIdx.x] = weight;
      stage.sizes[threadIdx.x] = fabsf(weight);
    }
    float squared[screen_rows];
    squared_float_distances(
        candidates, task, own, 0, stage.rows,
        [&](int column, int row) { return task.points[column * task.stride + first + row]; }, squared);
    float part = 0.0f;
#pragma unroll
    for (int q = 0; q < screen_rows; ++q) {
      const float correlation = matern_float(squared[q]);
      part = fmaf(stage.weights[q], correlation, part);
      sizes = fmaf(stage.sizes[q], correlation, sizes);
    }
    pair.add(part);
    if ((first + screen_rows) % rows_between_takes != 0 && first + screen_rows < rows) continue;
    sum += pair.take();
    absolute += static_cast<double>(sizes);
    sizes = 0.0f;
  }
  if (!inside) return;
  const double total = (task.first_row > 0 ? task.means[i] : 0.0) + task.scales->unit * sum;
  const double offset = task.offset == nullptr ? 0.0 : task.offset[i];
  const double scale = fabs(task.scale);
  const double magnitude = scale * (fabs(total) + fabs(task.gp.mean)) + fabs(task.shift) + fabs(offset);
  const double margin = float_mean_margin(margin_of(task, squares, absolute), scale, magnitude);
  const double mean = task.shift + task.scale * (task.gp.mean + total) + offset;
  task.means[i] = margin < HUGE_VAL ? mean - margin : -HUGE_VAL;
  if (task.solved != nullptr) task.solved[i] = 0;
}

__global__ void __launch_bounds__(screen_threads, screen_residents)
    screen(CandidateView candidates, const ScreenTask* tasks, int task_count, std::size_t begin, std::size_t end) {
  __shared__ MeanStage stage;
  walk_tasks<screen_threads>(
      task_count, begin, end, [&](int t) { return *tasks[t].chosen != 0; },
      [&](int t, std::size_t i) { screen_mean(candidates, tasks[t], i, stage); });
}

}  // namespace

cudaError_t launch_prepare_screens(cudaStream_t stream, const ScreenTask* tasks, int task_count, std::size_t size,
                                   std::size_t variance_rows, const ListBuffer& sample) {
  const auto blocks = static_cast<unsigned>(1 + variance_stride(variance_rows) / prepared_rows);
  prepare_screens<<<dim3(blocks, task_count), prepare_threads, 0, stream>>>(tasks, size, sample);
  return cudaGetLastError();
}

cudaError_t launch_choose_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* tasks,
                                  const ScreenChoice* choices, int choice_count, const VarianceChoice& of_variances,
                                  bool forced, WorkCounters* counters) {
  const int blocks = choice_count + (of_variances.chosen != nullptr ? 1 : 0);
  choose_screens<<<blocks, choose_threads, 0, stream>>>(candidates, tasks, choices, choice_count, of_variances,
                                                        forced, counters);
  return cudaGetLastError();
}

cudaError_t launch_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* tasks,
                           int task_count, std::size_t begin, std::size_t end) {
  screen<<<stride_blocks(end - begin, most_stride_blocks, screen_threads), screen_threads, 0, stream>>>(
      candidates, tasks, task_count, begin, end);
  return cudaGetLastError();
}

void add_screen_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(prepare_screens));
  kernels.push_back(reinterpret_cast<const void*>(choose_screens));
  kernels.push_back(reinterpret_cast<const void*>(screen));
}

}  // namespace carbo::kernels
