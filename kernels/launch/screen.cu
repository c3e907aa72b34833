#include "launch/screen.cuh"

#include "acquisition/pair_margin.hpp"
#include "device/block_sum.cuh"
#include "device/float_tile.cuh"
#include "device/float_variance_rows.cuh"
#include "device/grid_stride.cuh"
#include "device/screen_margin.cuh"
#include "device/task_walk.cuh"
#include "launch/screen_pairs.cuh"

namespace carbo::kernels {
namespace {

constexpr int prepare_threads = 256;
constexpr int choose_threads = 256;
constexpr int choose_groups = choose_threads / screen_samples;
constexpr int screen_residents = 6;
/// Few blocks in all: registers for more residents would spill.
constexpr int choose_residents = 1;
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
      if (task.pair_points != nullptr) task.pair_points[c * task.stride + row] = grid_pair(coordinate);
    }
    radius = higher_of(radius, sqrt(squares));
  }
  for (int row = thread; row < static_cast<int>(task.stride); row += prepare_threads) {
    const double weight = row < rows && unit > 0.0 ? row_weight(task, row) / unit : 0.0;
    task.weights[row] = static_cast<float>(weight);
    if (task.pair_points != nullptr) task.pair_weights[row] = pair_of(weight);
  }
  radius = block_greatest(radius, scratch);
  if (thread == 0) *task.scales = {unit, weights, radius};
  if (blockIdx.y != 0) return;
  if (thread < screen_samples) sample.indices[thread] = static_cast<std::uint32_t>(sample_at(size, thread));
  if (thread == 0) *sample.count = screen_samples;
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

/// Margins of the sample in deviations, in either precision.
struct SampleMargins {
  double all[screen_samples];
  double median;
};

/// `lane`: of a group of threads that have the sample.
__device__ inline void find_median(int lane, SampleMargins& margins) {
  int before = 0;
  const double own = margins.all[lane];
  for (int other = 0; other < screen_samples; ++other)
    before += margins.all[other] < own || (margins.all[other] == own && other < lane) ? 1 : 0;
  if (before == screen_samples / 2) margins.median = own;
}

__device__ inline FirstLook look_of(const LookRules& rules, double float_margin, double pair_margin) {
  if (rules.forced != in_float64) return rules.forced;
  if (float_margin < worthwhile_margin) return in_float32;
  return rules.pairs && pair_margin < worthwhile_margin ? in_pairs : in_float64;
}

/// One block a choice, and one more for that of variances; thread (lane, group) has candidate `lane` of the sample
/// and a share of the rows. Σ |w| ρ in float32 serves both precisions.
__global__ void __launch_bounds__(choose_threads, choose_residents)
    choose_screens(CandidateView candidates, const ScreenTask* tasks, const ScreenChoice* choices, int choice_count,
                   VarianceChoice of_variances, LookRules rules, WorkCounters* counters) {
  if (static_cast<int>(blockIdx.x) == choice_count)
    return choose_variances(candidates, *tasks, rules.forced == in_float32, of_variances);
  __shared__ double absolutes[choose_groups][screen_samples];
  __shared__ SampleMargins margins[2];
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
      add_square(x, task.points[c * task.stride + row], squared);
    }
    absolute = fmaf(fabsf(task.weights[row]), matern_float(squared), absolute);
  }
  absolutes[group][lane] = absolute;
  __syncthreads();
  if (group < 2) {  // one a precision
    double squares = 0.0, sum = 0.0;
    for (int c = 0; c < task.gp.columns; ++c) {
      const double coordinate = screened_coordinate(candidates, task.gp, task.centre, i, c);
      squares = fma(coordinate, coordinate, squares);
    }
    for (int g = 0; g < choose_groups; ++g) sum += absolutes[g][lane];
    const double variance = choice.bases == nullptr ? 1.0 : higher_of(choice.bases[i], choice.floor);
    const double margin = screen_margin(task, group == 0 ? in_float32 : in_pairs, squares, sum);
    margins[group].all[lane] = fabs(task.scale) * margin / sqrt(variance);
  }
  __syncthreads();
  if (group < 2) find_median(lane, margins[group]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  const FirstLook look = look_of(rules, margins[0].median, margins[1].median);
  *choice.chosen = look;
  if (look != in_float64) atomicAdd(&counters->screened, choice.means);
}

struct MeanStage {
  ScreenStage<float, screen_rows, screen_threads> rows;
  alignas(16) float weights[screen_rows];
  alignas(16) float sizes[screen_rows];  // of the weights
};

__device__ inline void screen_mean(const CandidateView& candidates, const ScreenTask& task, std::size_t i,
                                   MeanStage& stage) {
  const bool inside = i < candidates.size;
  const std::size_t own = inside ? i : candidates.size - 1;
  const double squares = keep_candidate(candidates, task, own, stage.rows);
  double sum = 0.0, absolute = 0.0;
  FloatPair total{};
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
    add_part(part, total);
    if ((first + screen_rows) % rows_between_takes != 0 && first + screen_rows < rows) continue;
    sum += taken(total);
    absolute += static_cast<double>(sizes);
    sizes = 0.0f;
  }
  if (inside) bound_mean(task, in_float32, i, squares, sum, absolute);
}

__global__ void __launch_bounds__(screen_threads, screen_residents)
    screen(CandidateView candidates, const ScreenTask* tasks, int task_count, std::size_t begin, std::size_t end) {
  __shared__ MeanStage stage;
  walk_tasks<screen_threads>(
      task_count, begin, end, [&](int t) { return *tasks[t].chosen == in_float32; },
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
                                  const LookRules& rules, WorkCounters* counters) {
  const int blocks = choice_count + (of_variances.chosen != nullptr ? 1 : 0);
  choose_screens<<<blocks, choose_threads, 0, stream>>>(candidates, tasks, choices, choice_count, of_variances, rules,
                                                        counters);
  return cudaGetLastError();
}

cudaError_t launch_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenList& screens,
                           std::size_t begin, std::size_t end) {
  screen<<<stride_blocks(end - begin, most_stride_blocks, screen_threads), screen_threads, 0, stream>>>(
      candidates, screens.tasks, screens.count, begin, end);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess || !screens.pairs) return error;
  return launch_pair_screens(stream, candidates, screens.tasks, screens.count, begin, end);
}

void add_screen_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(prepare_screens));
  kernels.push_back(reinterpret_cast<const void*>(choose_screens));
  kernels.push_back(reinterpret_cast<const void*>(screen));
}

}  // namespace carbo::kernels
