#pragma once

#include "device/contender_view.hpp"
#include "device/covariance_tile.cuh"
#include "device/response_view.hpp"

namespace carbo::kernels {

/// A block takes few candidates at a time, so that a short list keeps many multiprocessors busy, and many rows:
/// thread (lane, group) computes correlations of candidate `lane` with rows group + groups · q, then has the sums of
/// that candidate over all rows for point `group`. Finishing has the shortest lists, and takes the fewest candidates.
template <int lane_count, int column_count>
struct Split {
  static constexpr int lanes = lane_count;
  static constexpr int columns = column_count;  ///< staged at once
  static constexpr int groups = tile_threads / lanes;
  static constexpr int rows = groups * rows_per_thread;  ///< at once
  __device__ static int lane() { return threadIdx.x % lanes; }
  __device__ static int group() { return threadIdx.x / lanes; }
};
using Refreshing = Split<8, staged_columns>;
using Settling = Split<2, staged_columns / 4>;

struct ResponseArguments {
  CandidateView candidates;
  CandidateList list;
  const ResponseTask* tasks;
  WorkCounters* counters;
};

template <class By>
struct ResponseStage {
  double candidates[By::columns][By::lanes];
  double points[By::columns][By::rows];
  double correlations[By::rows][By::lanes];
  double weights[By::rows];  // of the mean: signal variance · K⁻¹(y − mean)
  double responses[By::groups][By::lanes];
  int oldest;
};

/// stage.correlations[row − first][lane] for rows [first, end), at most By::rows of them, and, `with_mean`, their
/// weights; the sum over coordinates has one order. All threads of the block call it; it begins and ends with a
/// barrier's guarantees.
template <class By>
__device__ inline void stage_correlations(const CandidateView& candidates, const GpView& gp, std::size_t candidate,
                                          int first, int end, bool with_mean, ResponseStage<By>& stage) {
  const int lane = By::lane(), group = By::group();
  const int rows = min(By::rows, end - first);
  double squared[rows_per_thread] = {};
  for (int column = 0; column < gp.columns; column += By::columns) {
    const int width = min(By::columns, gp.columns - column);
    for (int c = group; c < width; c += By::groups)
      stage.candidates[c][lane] = coordinate(candidates, candidate, column + c) * gp.inverse_lengthscales[column + c];
    for (int at = threadIdx.x; at < width * By::rows; at += tile_threads) {
      const int c = at / By::rows, row = at % By::rows;
      stage.points[c][row] = row < rows ? gp.points[(column + c) * gp.stride + first + row] : 0.0;
    }
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const double x = stage.candidates[c][lane];
#pragma unroll
      for (int q = 0; q < rows_per_thread; ++q) {
        const double difference = x - stage.points[c][group + By::groups * q];
        squared[q] = fma(difference, difference, squared[q]);
      }
    }
    __syncthreads();
  }
  const int observed = with_mean ? min(rows, gp.observed - first) : 0;
  for (int row = threadIdx.x; row < observed; row += tile_threads)
    stage.weights[row] = gp.signal_variance * gp.weights[first + row];
#pragma unroll
  for (int q = 0; q < rows_per_thread; ++q) stage.correlations[group + By::groups * q][lane] = matern(squared[q]);
  __syncthreads();
}

/// sum += Σ_row weights[row] · correlation over the first `rows` of the staged rows, in their order.
template <class By>
__device__ inline void add_rows(const double* weights, int rows, const ResponseStage<By>& stage, double& sum) {
  const int lane = By::lane();
#pragma unroll 4
  for (int row = 0; row < rows; ++row) sum = fma(weights[row], stage.correlations[row][lane], sum);
}

/// Weighted sums of this thread's candidate over all rows: for its point, and for the posterior mean.
struct Sums {
  double response = 0.0;  ///< Σ β k − k(x*, ·)
  double mean = 0.0;
};

/// `first`: point of group 0. The mean's sum is made by group `mean_group`, none where it is negative: beside the
/// points, in a warp with them.
template <class By>
__device__ inline Sums weighted_sums(const CandidateView& candidates, const GpView& gp, std::size_t candidate,
                                     int first, int mean_group, ResponseStage<By>& stage) {
  const int group = By::group();
  const int end = gp.observed + min(first + By::groups, gp.fantasised);
  const int own = gp.observed + first + group;  // the row of the point itself
  const bool responds = first + group < gp.fantasised;
  const bool means = group == mean_group;
  Sums sums;
  for (int row = 0; row < end; row += By::rows) {
    stage_correlations(candidates, gp, candidate, row, end, mean_group >= 0, stage);
    const double* const weights =
        responds ? gp.responses + static_cast<std::size_t>(first + group) * gp.stride + row : stage.weights;
    const int observed = min(By::rows, gp.observed - row);
    double sum = responds ? sums.response : sums.mean;
    add_rows(weights, responds ? min(By::rows, own - row) : (means ? observed : 0), stage, sum);
    if (responds && own >= row && own < row + By::rows)
      sum = fma(-gp.signal_variance, stage.correlations[own - row][By::lane()], sum);
    (responds ? sums.response : sums.mean) = sum;
    if (responds && means) add_rows(stage.weights, observed, stage, sums.mean);
    __syncthreads();
  }
  return sums;
}

/// What the prior mean adds to an exact one, as the pass adds it; for group `mean_group`.
template <class By>
__device__ inline double background_of(const CandidateView& candidates, const ExactMean& exact, std::size_t candidate,
                                       int mean_group, ResponseStage<By>& stage) {
  const GpView& gp = exact.background;
  double sum = 0.0;
  for (int row = 0; row < gp.observed; row += By::rows) {
    stage_correlations(candidates, gp, candidate, row, gp.observed, true, stage);
    if (By::group() == mean_group) add_rows(stage.weights, min(By::rows, gp.observed - row), stage, sum);
    __syncthreads();
  }
  return sum;
}

/// Applies the responses in the stage, [point][candidate], to the candidate of this lane.
template <class By>
__device__ inline void apply(const ResponseTask& task, const GpView& gp, std::size_t candidate, int first,
                             const ResponseStage<By>& stage) {
  const int lane = By::lane(), group = By::group();
  const int points = min(By::groups, gp.fantasised - first);
  for (int f = group; f < gp.fantasies; f += By::groups) {
    double* const mean = task.means + f * task.stride + candidate;
    double value = *mean;
    for (int t = 0; t < points; ++t)
      value = fma(stage.responses[t][lane], gp.normals[(first + t) * gp.fantasies + f], value);
    *mean = value;
  }
  if (group != By::groups - 1) return;
  double reduction = task.reductions[candidate];
  for (int t = 0; t < points; ++t) reduction = fma(stage.responses[t][lane], stage.responses[t][lane], reduction);
  task.reductions[candidate] = reduction;
}

/// What one lane of a tile responds with.
struct Responding {
  std::size_t candidate;
  int seen;      ///< fantasised points
  bool stale;    ///< whether it misses any
  bool inexact;  ///< whether its mean is to become exact; it has then seen none
};

__device__ inline Responding responding(const ResponseTask& task, const GpView& gp, const CandidateList& list,
                                        std::size_t place, std::size_t size, bool settles) {
  const bool inside = place < size;
  const ExactMean& exact = task.exact;
  Responding own;
  own.candidate = list_at(list, inside ? place : size - 1);
  own.inexact = settles && inside && exact.screened != nullptr && *exact.screened != 0 &&
                exact.solved[own.candidate] < static_cast<std::uint32_t>(gp.observed);
  own.seen = task.versions == nullptr ? gp.fantasised - 1 : static_cast<int>(task.versions[own.candidate]);
  if (own.inexact || own.seen < 0) own.seen = 0;
  own.stale = inside && own.seen < gp.fantasised;
  return own;
}

/// The exact mean before any fantasised point, from its sum.
__device__ inline void begin_exact(const ResponseTask& task, const GpView& gp, std::size_t candidate, double sum,
                                   double background) {
  const ExactMean& exact = task.exact;
  double mean = exact.shift + exact.scale * (gp.mean + sum);
  if (exact.background.observed > 0) {
    double added = 0.0 + exact.scale * (0.0 + background);
    if (exact.offset != nullptr) added = added + exact.offset[candidate];
    mean = mean + added;
  } else if (exact.offset != nullptr) {
    mean = mean + exact.offset[candidate];
  }
  const int means = gp.fantasised == 0 ? 1 : gp.fantasies;
  for (int f = 0; f < means; ++f) task.means[f * task.stride + candidate] = mean;
  if (task.reductions != nullptr) task.reductions[candidate] = 0.0;
  if (exact.marks) exact.solved[candidate] = static_cast<std::uint32_t>(gp.observed);
}

/// Points from `first` on, one a group at a time.
template <class By>
__device__ inline void respond_to(const CandidateView& candidates, const ResponseTask& task, const GpView& gp,
                                  const Responding& own, int first, ResponseStage<By>& stage) {
  const int lane = By::lane(), group = By::group();
  const bool with_mean = __syncthreads_or(own.inexact) != 0;
  int mean_group = with_mean ? min(By::groups - 1, gp.fantasised - first) : -1;
  const double background = with_mean ? background_of(candidates, task.exact, own.candidate, mean_group, stage) : 0.0;
  for (; mean_group >= 0 || first < gp.fantasised; first += By::groups) {
    const Sums sums = weighted_sums(candidates, gp, own.candidate, first, mean_group, stage);
    const int point = first + group;
    const bool unseen = point >= own.seen && point < gp.fantasised;
    stage.responses[group][lane] = unseen ? -sums.response / gp.pivots[point] : 0.0;
    if (own.inexact && group == mean_group) begin_exact(task, gp, own.candidate, sums.mean, background);
    mean_group = -1;
    __syncthreads();
    if (own.stale) apply(task, gp, own.candidate, first, stage);
    __syncthreads();
  }
}

/// The tile of candidates from `start` of the list on, under one task, whose GP is `gp`. It begins with the first
/// point that its oldest candidate has missed. `settles`: means that are bounds become exact.
template <class By, bool settles>
__device__ inline void respond_tile(const ResponseArguments& arguments, const ResponseTask& task, const GpView& gp,
                                    std::size_t start, std::size_t size, ResponseStage<By>& stage) {
  const bool counts = By::group() == 0;
  const Responding own = responding(task, gp, arguments.list, start + By::lane(), size, settles);
  if (__syncthreads_or(own.stale || own.inexact) == 0) return;
  if (threadIdx.x == 0) stage.oldest = gp.fantasised;
  __syncthreads();
  if (counts && own.stale) atomicMin(&stage.oldest, own.seen);
  __syncthreads();
  respond_to(arguments.candidates, task, gp, own, stage.oldest, stage);
  if (!counts || !own.stale) return;
  if (task.versions != nullptr) task.versions[own.candidate] = static_cast<std::uint32_t>(gp.fantasised);
  if (arguments.counters != nullptr) atomicAdd(&arguments.counters->refreshed, 1ull);
}

}  // namespace carbo::kernels
