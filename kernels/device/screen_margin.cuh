#pragma once

#include <cmath>
#include <cstddef>

#include "acquisition/pair_margin.hpp"
#include "device/screen_view.hpp"

namespace carbo::kernels {

__device__ inline bool look_margin_exists(FirstLook look, double reach, double columns) {
  return look == in_pairs ? pair_margin_exists(reach, columns) : float_margin_exists(reach, columns);
}
__device__ inline SumErrors look_errors(FirstLook look, double reach, double columns) {
  return look == in_pairs ? pair_sum_errors(columns) : float_sum_errors(reach, columns);
}

/// Of a sum that came out with `absolute`, in the GP's own units; infinite where there is none. `squares`: ‖x‖².
__device__ inline double screen_margin(const ScreenTask& task, FirstLook look, double squares, double absolute) {
  const ScreenScales scales = *task.scales;
  const double reach = sqrt(squares) + scales.radius;
  const double columns = static_cast<double>(task.gp.columns);
  if (!look_margin_exists(look, reach, columns)) return HUGE_VAL;
  const double rows = static_cast<double>(task.gp.observed + task.background.observed);
  const SumErrors errors = look_errors(look, reach, columns);
  return task.margin_share * sum_margin(errors, scales.unit * absolute, scales.weights, reach, columns, rows);
}

/// Leaves the mean of a candidate from below, by sums over rows from the task's first on.
__device__ inline void bound_mean(const ScreenTask& task, FirstLook look, std::size_t i, double squares, double sum,
                                  double absolute) {
  const double total = (task.first_row > 0 ? task.means[i] : 0.0) + task.scales->unit * sum;
  const double offset = task.offset == nullptr ? 0.0 : task.offset[i];
  const double scale = fabs(task.scale);
  const double magnitude = scale * (fabs(total) + fabs(task.gp.mean)) + fabs(task.shift) + fabs(offset);
  const double margin = float_mean_margin(screen_margin(task, look, squares, absolute), scale, magnitude);
  const double mean = task.shift + task.scale * (task.gp.mean + total) + offset;
  task.means[i] = margin < HUGE_VAL ? mean - margin : -HUGE_VAL;
  if (task.solved != nullptr) task.solved[i] = 0;
}

}  // namespace carbo::kernels
