#pragma once

#include <cstddef>

#include <carbo/options.hpp>

#include "bench/backends/limits.hpp"
#include "bench/support/problem.hpp"

namespace carbo::bench {

/// Makes probes on the device that a CUDA backend of these options runs on: cuBLAS's products of order × order
/// matrices, copies of 16·order² bytes from its memory to its memory, the backend's own sweep of one GP's mean. That
/// device stays the calling thread's current one. Throws what the backend throws; OutOfMemory where a probe does not
/// fit. Null where this program was built without CUDA.
ProbeMaker device_probes(const BackendOptions& backend, std::size_t order);

/// Of the sweep whose rate a report gives as the device's, in proportion to the other probes.
inline JobSizes device_sweep_sizes(std::size_t order) {
  return {.n = order / 4, .m = 64 * order, .d = hartmann_columns};
}

}  // namespace carbo::bench
