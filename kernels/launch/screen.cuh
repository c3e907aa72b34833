#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"
#include "device/screen_view.hpp"

namespace carbo::kernels {

/// Candidates that a precision is chosen by, from all over the set.
inline constexpr int screen_samples = 32;

/// Rows of all tasks in float32, and the sample's candidates out of `size`. `tasks`: device memory; `variance_rows`:
/// of those that have a VarianceScreen, 0 where none has.
cudaError_t launch_prepare_screens(cudaStream_t stream, const ScreenTask* tasks, int task_count, std::size_t size,
                                   std::size_t variance_rows, const ListBuffer& sample);

/// How means are looked at first: `chosen`, by which margin hides little; `means` are counted where they are bounded.
struct ScreenChoice {
  int task = 0;                   ///< of the screens, whose margins are taken
  const double* bases = nullptr;  ///< variances of the sample's candidates; null: margins count as they are
  double floor = 0;               ///< of a variance
  FirstLook* chosen = nullptr;
  unsigned long long means = 0;
};

/// Whether bounds on variances by the first task are near what they bound: 1 in `chosen` where they are.
struct VarianceChoice {
  double floor = 0;                 ///< of a variance
  std::uint32_t* chosen = nullptr;  ///< null: there is no choice
};

/// What may be chosen beside float32.
struct LookRules {
  FirstLook forced = in_float64;  ///< whatever the margins are; in_float64: by them
  bool pairs = false;             ///< where float32 hides too much
};

/// By the median over the sample of margin over deviation, and of deviations by their bounds. `choices`: device
/// memory.
cudaError_t launch_choose_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenTask* tasks,
                                  const ScreenChoice* choices, int choice_count, const VarianceChoice& of_variances,
                                  const LookRules& rules, WorkCounters* counters);

/// Screens of a pass, in device memory; see ScreenTask.
struct ScreenList {
  const ScreenTask* tasks = nullptr;
  int count = 0;
  bool pairs = false;  ///< whether these may be chosen
};

/// Means of candidates [begin, end) by the tasks that are chosen.
cudaError_t launch_screens(cudaStream_t stream, const CandidateView& candidates, const ScreenList& screens,
                           std::size_t begin, std::size_t end);

void add_screen_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
