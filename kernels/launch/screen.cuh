#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"

namespace carbo::kernels {

/// What rows in float32 have in common; see acquisition/float_margin.hpp.
struct ScreenScales {
  double unit;     ///< the largest |w|
  double weights;  ///< Σ |w| over all rows
  double radius;   ///< largest ‖p‖
};

/// Posterior means of one GP from below, by correlations in float32. Rows are the observed ones, then those of the
/// background. All pointers are device memory.
struct ScreenTask {
  GpView gp;
  GpView background;     ///< no observed rows where there is none
  float* points;         ///< centred, times √5; coordinate c of row i: c · stride + i
  float* weights;        ///< over the unit; 0 from the last row on
  double* centre;        ///< of the box round the observed points, scaled; one a column
  ScreenScales* scales;  ///< the three above and this by launch_prepare_screens
  std::size_t stride;    ///< all rows, up to a multiple of screen_rows
  double* means;         ///< shift + scale · mean (+ offset), less its margin
  const double* offset;  ///< may be null
  double shift;
  double scale;
  int first_row;                ///< those before it are in `means` already, as a sum; a multiple of screen_rows
  double margin_share;          ///< of the proved margin; below 1 nothing is proved
  std::uint32_t* solved;        ///< becomes 0 where there is no variance to count rows of; else null
  const std::uint32_t* chosen;  ///< means are computed where this is not 0
};

/// Rows that are added up in float32 at a time; strides are multiples of it.
inline constexpr int screen_rows = 16;
inline std::size_t screen_stride(std::size_t rows) { return (rows + screen_rows - 1) / screen_rows * screen_rows; }

/// Candidates that a precision is chosen by, from all over the set.
inline constexpr int screen_samples = 32;

/// Rows of all tasks in float32, and the sample's candidates out of `size`. `tasks`: device memory.
cudaError_t launch_prepare_screens(cudaStream_t stream, const ScreenTask* tasks, int task_count, std::size_t size,
                                   const ListBuffer& sample);

/// Whether float32's margin hides little: 1 in `chosen` where it does, and then `means` are counted.
struct ScreenChoice {
  int task = 0;                   ///< of the screens, whose margins are taken
  const double* bases = nullptr;  ///< variances of the sample's candidates; null: margins count as they are
  double floor = 0;               ///< of a variance
  std::uint32_t* chosen = nullptr;
  unsigned long long means = 0;
};

/// By the median over the sample of margin over deviation; whatever it is where `forced`. `choices`: device memory.
cudaError_t launch_choose_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* tasks,
                                  const ScreenChoice* choices, int choice_count, bool forced, WorkCounters* counters);

/// Means of candidates [begin, end) by the tasks that are chosen.
cudaError_t launch_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* tasks,
                           int task_count, std::size_t begin, std::size_t end);

void add_screen_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
