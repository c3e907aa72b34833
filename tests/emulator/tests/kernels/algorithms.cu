#include "algorithms.hpp"

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cub/device/device_radix_sort.cuh>

#include "scale.cuh"

namespace {

struct IsAbove {
  double threshold;
  __host__ __device__ bool operator()(double x) const { return x > threshold; }
};

struct Square {
  __host__ __device__ double operator()(double x) const { return x * x; }
};

}  // namespace

cudaError_t sort_pairs(void* workspace, std::size_t& bytes, const double* keys, double* sorted_keys,
                       const int* values, int* sorted_values, int n, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, sorted_keys, values, sorted_values, n, 0, 64,
                                         stream);
}

int select_above(const double* keys, int* indices, int n, double threshold, cudaStream_t stream) {
  const thrust::counting_iterator<int> first(0);
  const auto policy = thrust::cuda::par.on(stream);
  return static_cast<int>(thrust::copy_if(policy, first, first + n, keys, indices, IsAbove{threshold}) - indices);
}

double sum_of_squares(const double* values, int n, cudaStream_t stream) {
  return thrust::transform_reduce(thrust::cuda::par.on(stream), values, values + n, Square{}, 0.0,
                                  thrust::plus<double>());
}

cudaError_t scale_in_first_module(double* values, int n, double factor, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(values, n, factor);
  return cudaGetLastError();
}
