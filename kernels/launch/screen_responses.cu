#include "launch/screen_responses.cuh"

#include "acquisition/pair_margin.hpp"
#include "device/float_tile.cuh"
#include "device/screen_margin.cuh"
#include "formulas/matern_pair.hpp"

namespace carbo::kernels {
namespace {

/// A block takes few candidates at a time, so that a short list keeps many multiprocessors busy: thread (lane, part)
/// has candidate `lane` and one in `parts` stretches of `screen_rows` rows. One pass over all rows responds to so
/// many points.
constexpr int points_at_once = 8;
constexpr int response_threads = screen_threads;
constexpr int lanes = 32;
constexpr int parts = response_threads / lanes;
constexpr int staged_rows = parts * screen_rows;
/// That a thread stages.
constexpr int own_weights = points_at_once * staged_rows / response_threads;
static_assert(rows_between_takes == parts * pair_rows);

/// Responses by numbers that are float or FloatPair.
template <class Number>
struct LookingBy;
template <>
struct LookingBy<float> {
  static constexpr FirstLook look = in_float32;
  static constexpr int columns = 24, residents = 3, powers = 1;
  using Squares = float;
};
template <>
struct LookingBy<FloatPair> {
  static constexpr FirstLook look = in_pairs;
  static constexpr int columns = 12, residents = 2, powers = pair_powers;
  using Squares = PairedSquares;
};

template <class Number>
struct ResponseScreenStage {
  ScreenStage<Number, staged_rows, lanes, LookingBy<Number>::columns> rows;
  FloatPair powers[LookingBy<Number>::powers];
  alignas(16) Number weights[points_at_once][staged_rows];
  alignas(16) float sizes[points_at_once][staged_rows];  // of the weights
  double sums[parts][points_at_once][lanes];
  float absolutes[parts][points_at_once][lanes];
  double totals[points_at_once];  // Σ |w|
  double radius;
  int oldest;
};

struct ScreenResponseArguments {
  CandidateView candidates;
  CandidateList list;
  const ResponseTask* tasks;
  const ScreenTask* screens;
  WorkCounters* counters;
};

/// Weight of a row in the response to a fantasised point: β of the rows before it, −k(x*, ·) for itself.
__device__ inline double response_weight(const GpView& gp, int point, int row) {
  const int own = gp.observed + point;
  if (point >= gp.fantasised || row > own) return 0.0;
  return row == own ? -gp.signal_variance : gp.responses[point * gp.stride + row];
}

__device__ inline void take_weight(double weight, float& taken) { taken = static_cast<float>(weight); }
__device__ inline void take_weight(double weight, FloatPair& taken) { taken = pair_of(weight); }

/// Weights of the staged rows from `row` on, and their sizes added to the totals' parts of this thread.
template <class Number>
__device__ inline void stage_weights(const GpView& gp, double unit, int first, int row,
                                     ResponseScreenStage<Number>& stage, float (&totals)[own_weights]) {
#pragma unroll
  for (int k = 0; k < own_weights; ++k) {
    const int at = threadIdx.x + k * response_threads;
    const int p = at / staged_rows, q = at % staged_rows;
    double weight = response_weight(gp, first + p, row + q);
    if (unit != 1.0) weight /= unit;  // rare, and float64 is slow
    const float size = fabsf(static_cast<float>(weight));
    take_weight(weight, stage.weights[p][q]);
    stage.sizes[p][q] = size;
    totals[k] += size;
  }
}

/// Coordinate of an observed row.
__device__ inline float point_of(const ScreenTask& screen, std::size_t at, const float*) { return screen.points[at]; }
__device__ inline FloatPair point_of(const ScreenTask& screen, std::size_t at, const FloatPair*) {
  return screen.pair_points[at];
}

/// Adds the parts of this thread's rows to the sums of all points, by the squares of their distances.
__device__ inline void add_correlated(const ResponseScreenStage<float>& stage, int first,
                                      float (&squared)[screen_rows], FloatPair (&sums)[points_at_once],
                                      float (&absolutes)[points_at_once]) {
#pragma unroll
  for (int q = 0; q < screen_rows; ++q) squared[q] = matern_float(squared[q]);
#pragma unroll
  for (int p = 0; p < points_at_once; ++p) {
    float part = 0.0f, size = 0.0f;
#pragma unroll
    for (int q = 0; q < screen_rows; ++q) {
      part = fmaf(stage.weights[p][first + q], squared[q], part);
      size = fmaf(stage.sizes[p][first + q], squared[q], size);
    }
    add_part(part, sums[p]);
    absolutes[p] += size;
  }
}

__device__ inline void add_correlated(const ResponseScreenStage<FloatPair>& stage, int first,
                                      PairedSquares (&squared)[screen_rows], FloatPair (&sums)[points_at_once],
                                      float (&absolutes)[points_at_once]) {
#pragma unroll
  for (int q = 0; q < screen_rows; ++q) {
    const FloatPair correlation = matern_pair(squared[q], stage.powers);
#pragma unroll
    for (int p = 0; p < points_at_once; ++p) {
      add_product(stage.weights[p][first + q], correlation, sums[p]);
      absolutes[p] = fmaf(stage.sizes[p][first + q], correlation.high, absolutes[p]);
    }
  }
}

/// stage.sums and stage.absolutes over all rows, and stage.totals, for the points from `first` on.
template <class Number>
__device__ inline void screened_sums(const CandidateView& candidates, const ScreenTask& screen, const GpView& gp,
                                     std::size_t candidate, int first, ResponseScreenStage<Number>& stage) {
  const int lane = threadIdx.x % lanes, own_part = threadIdx.x / lanes;
  const int rows = gp.observed + min(first + points_at_once, gp.fantasised);
  const double unit = response_unit(gp.signal_variance);
  FloatPair pairs[points_at_once] = {};
  double sums[points_at_once] = {};
  float absolutes[points_at_once] = {};
  float totals[own_weights] = {};
  for (int row = 0; row < rows; row += staged_rows) {
    __syncthreads();
    stage_weights(gp, unit, first, row, stage, totals);
    typename LookingBy<Number>::Squares squared[screen_rows];
    squared_float_distances(
        candidates, screen, candidate, own_part * screen_rows, stage.rows,
        [&](int column, int q) {
          const int at = row + q;
          if (at < gp.observed) return point_of(screen, column * screen.stride + at, static_cast<Number*>(nullptr));
          Number taken{};
          if (at < rows)
            take_coordinate(sqrt_5 * (gp.points[column * gp.stride + at] - screen.centre[column]), taken);
          return taken;
        },
        squared);
    add_correlated(stage, own_part * screen_rows, squared, pairs, absolutes);
    if ((row + staged_rows) % rows_between_takes != 0 && row + staged_rows < rows) continue;
#pragma unroll
    for (int p = 0; p < points_at_once; ++p) sums[p] += taken(pairs[p]);
  }
  __syncthreads();
#pragma unroll
  for (int p = 0; p < points_at_once; ++p) {
    stage.sums[own_part][p][lane] = sums[p];
    stage.absolutes[own_part][p][lane] = absolutes[p];
  }
#pragma unroll
  for (int k = 0; k < own_weights; ++k) {
    const int at = threadIdx.x + k * response_threads;
    stage.sizes[at / staged_rows][at % staged_rows] = totals[k];
  }
  __syncthreads();
  if (threadIdx.x < points_at_once) {
    double all = 0.0;
    for (int q = 0; q < staged_rows; ++q) all += static_cast<double>(stage.sizes[threadIdx.x][q]);
    stage.totals[threadIdx.x] = all;
  }
  __syncthreads();
}

/// Lowers means and raises the reduction by the responses to points from `first` on that the candidate has not seen.
__device__ inline void apply_bounds(const ResponseTask& task, const GpView& gp, std::size_t candidate, int first,
                                    const BoundedResponse (&responses)[points_at_once]) {
  for (int f = 0; f < gp.fantasies; ++f) {
    double* const place = task.means + f * task.stride + candidate;
    double mean = *place;
#pragma unroll
    for (int p = 0; p < points_at_once; ++p)
      if (first + p < gp.fantasised)
        mean = lowered_mean(mean, responses[p], gp.normals[(first + p) * gp.fantasies + f]);
    *place = mean;
  }
  double reduction = task.reductions[candidate];
#pragma unroll
  for (int p = 0; p < points_at_once; ++p) reduction += least_reduction(responses[p]);
  task.reductions[candidate] = reduction;
}

/// Responses of this thread's candidate, who has seen so many points, to those from `first` on.
template <class Number>
__device__ inline void respond(const ScreenTask& screen, const GpView& gp, int seen, int first, double reach,
                               const ResponseScreenStage<Number>& stage,
                               BoundedResponse (&responses)[points_at_once]) {
  const double columns = static_cast<double>(gp.columns), rows = static_cast<double>(gp.observed + gp.fantasised);
  const double unit = response_unit(gp.signal_variance);
  const bool known = look_margin_exists(LookingBy<Number>::look, reach, columns);
  const SumErrors errors = look_errors(LookingBy<Number>::look, reach, columns);
  const int lane = threadIdx.x % lanes;
#pragma unroll
  for (int p = 0; p < points_at_once; ++p) {
    const int point = first + p;
    responses[p] = {0.0, 0.0};
    if (point < seen || point >= gp.fantasised) continue;
    double sum = 0.0, absolute = 0.0;
    for (int part = 0; part < parts; ++part) {
      sum += stage.sums[part][p][lane];
      absolute += static_cast<double>(stage.absolutes[part][p][lane]);
    }
    const double margin = sum_margin(errors, absolute, stage.totals[p], reach, columns, rows);
    responses[p] = bounded_response(unit * sum, screen.margin_share * unit * margin, gp.pivots[point], known);
  }
}

/// Listed candidates, `lanes` at a time; blockIdx.y is the task.
template <class Number>
__device__ inline void screen_responses_by(const ScreenResponseArguments& arguments,
                                           ResponseScreenStage<Number>& stage) {
  const ResponseTask& task = arguments.tasks[blockIdx.y];
  const ScreenTask& screen = arguments.screens[blockIdx.y];
  const GpView& gp = task.gp;
  if (*screen.chosen != LookingBy<Number>::look) return;
  const double radius = greatest_norm(screen, gp, stage.radius);
  const std::size_t size = list_size(arguments.list);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * lanes;
  for (std::size_t start = static_cast<std::size_t>(blockIdx.x) * lanes; start < size; start += step) {
    const std::size_t place = start + threadIdx.x % lanes;
    const std::size_t candidate = list_at(arguments.list, place < size ? place : size - 1);
    const int seen = static_cast<int>(task.versions[candidate]);
    const bool stale = place < size && seen < gp.fantasised &&
                       task.exact.solved[candidate] < static_cast<std::uint32_t>(gp.observed);
    if (__syncthreads_or(stale) == 0) continue;
    if (threadIdx.x == 0) stage.oldest = gp.fantasised;
    __syncthreads();
    if (stale) atomicMin(&stage.oldest, seen);
    const double reach = sqrt(keep_candidate(arguments.candidates, screen, candidate, stage.rows)) + radius;
    __syncthreads();
    for (int first = stage.oldest; first < gp.fantasised; first += points_at_once) {
      screened_sums(arguments.candidates, screen, gp, candidate, first, stage);
      if (!stale || threadIdx.x >= lanes) continue;
      BoundedResponse responses[points_at_once];
      respond(screen, gp, seen, first, reach, stage, responses);
      apply_bounds(task, gp, candidate, first, responses);
    }
    if (!stale || threadIdx.x >= lanes) continue;
    task.versions[candidate] = static_cast<std::uint32_t>(gp.fantasised);
    if (arguments.counters != nullptr) atomicAdd(&arguments.counters->refreshed, 1ull);
  }
}

__global__ void __launch_bounds__(response_threads, LookingBy<float>::residents)
    screen_responses(ScreenResponseArguments arguments) {
  __shared__ ResponseScreenStage<float> stage;
  screen_responses_by(arguments, stage);
}

__global__ void __launch_bounds__(response_threads, LookingBy<FloatPair>::residents)
    screen_pair_responses(ScreenResponseArguments arguments) {
  __shared__ ResponseScreenStage<FloatPair> stage;
  if (threadIdx.x < pair_powers) stage.powers[threadIdx.x] = power_pair(static_cast<int>(threadIdx.x));
  screen_responses_by(arguments, stage);
}

}  // namespace

cudaError_t launch_screen_responses(cudaStream_t stream, const CandidateView& candidates, const CandidateList& list,
                                    const ResponseTask* tasks, const ScreenList& screens, int task_count,
                                    int resident, WorkCounters* counters) {
  if (list.size == 0 || task_count == 0) return cudaSuccess;
  const ScreenResponseArguments arguments{candidates, list, tasks, screens.tasks, counters};
  screen_responses<<<dim3(resident, task_count), response_threads, 0, stream>>>(arguments);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess || !screens.pairs) return error;
  screen_pair_responses<<<dim3(resident, task_count), response_threads, 0, stream>>>(arguments);
  return cudaGetLastError();
}

void add_screen_response_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(screen_responses));
  kernels.push_back(reinterpret_cast<const void*>(screen_pair_responses));
}

}  // namespace carbo::kernels
