#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device_views.hpp"

namespace carbo::kernels {

/// What makes a mean exact that was bounded from below; as in PosteriorTask, its background apart.
struct ExactMean {
  const FirstLook* screened = nullptr;  ///< device memory; null or in_float64: means are exact
  std::uint32_t* solved = nullptr;      ///< those of candidates with fewer rows than all are bounds
  bool marks = false;                   ///< `solved` becomes all rows: there is no variance that would do so
  GpView background;                    ///< no observed rows where there is none
  const double* offset = nullptr;
  double shift = 0;
  double scale = 1;
};

/// A GP with fantasised points and the posterior over all candidates that follows them.
struct ResponseTask {
  GpView gp;
  double* means = nullptr;  ///< fantasy f of candidate i: f · stride + i
  double* reductions = nullptr;
  std::uint32_t* versions = nullptr;  ///< fantasised points that a candidate has seen; null: all but the last
  std::size_t stride = 0;
  ExactMean exact;
};

}  // namespace carbo::kernels
