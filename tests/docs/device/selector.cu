// The fragment for CUDA applications, in a library as nvcc links it, so that the emulator finds its kernel.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <vector>

#include <carbo/cuda.hpp>

#include "metered_allocator.hpp"

namespace {

constexpr int columns = 6;

__host__ __device__ double objective_of(const double* design) { return design[0] - design[1] * design[5]; }
__host__ __device__ double cost_of(const double* design) { return 1.0 + design[2]; }

/// One block a design.
__global__ void simulate(const double* library, const std::int64_t* picked, double* objectives, double* costs) {
  if (threadIdx.x != 0) return;
  const double* const design = library + columns * picked[blockIdx.x];
  objectives[blockIdx.x] = objective_of(design);
  costs[blockIdx.x] = cost_of(design);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

template <class T>
std::vector<T> on_host(const T* memory, std::size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

}  // namespace

/// 0 where new rows were suggested and simulated.
extern "C" int documented_selector_on_device() {
  constexpr std::size_t designs = 200, batch = 4, known = 16;
  const double budget = 100, spent = 30, spent_by_design = 20;
  std::vector<double> rows(designs * columns), values(known), prices(known);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::fmod(static_cast<double>(i) * 0.6180339887, 1.0);
  std::vector<std::int64_t> first(known);
  for (std::size_t i = 0; i < known; ++i) {
    first[i] = static_cast<std::int64_t>(i);
    values[i] = objective_of(&rows[i * columns]);
    prices[i] = cost_of(&rows[i * columns]);
  }
  double* const library = on_device(rows);
  std::int64_t* const tried = on_device(first);
  double* const objectives = on_device(values);
  double* const costs = on_device(prices);
  std::int64_t* const picked = on_device(std::vector<std::int64_t>(batch, -1));
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const auto arena = std::make_shared<MeteredAllocator>();

#include "selector_2.inc"

  if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;
  const std::vector<std::int64_t> found = on_host(picked, batch);
  const std::vector<double> simulated = on_host(objectives, batch);
  if (std::set<std::int64_t>(found.begin(), found.end()).size() != batch || arena->peak_bytes() == 0) return 2;
  for (std::size_t i = 0; i < batch; ++i) {
    const std::int64_t row = found[i];
    std::printf("row %lld: %g\n", static_cast<long long>(row), simulated[i]);
    if (row < static_cast<std::int64_t>(known) || row >= static_cast<std::int64_t>(designs)) return 3;
    if (simulated[i] != objective_of(&rows[static_cast<std::size_t>(row) * columns])) return 4;
  }
  return 0;
}
