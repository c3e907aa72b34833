#include "work.hpp"

// Intrinsics, so that nothing is fused, split or folded.
namespace {

__global__ void arithmetic(const double* x, const double* y, double* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const double sum = __dadd_rn(__fma_rn(x[i], y[i], 1.5), x[i]);
  out[i] = __ddiv_rn(__dsqrt_rn(__dmul_rn(sum, y[i])), x[i]);
}

__global__ void triangle(const double* x, double* out) {
  double sum = 0;
#pragma unroll 1
  for (unsigned k = 0; k < threadIdx.x; ++k) sum = __fma_rn(x[k], 0.5, sum);
  out[threadIdx.x] = sum;
}

__global__ void two_ways(double value, double* out) {
  double result = threadIdx.x;
  if (threadIdx.x % 2 == 0)
    result = __dadd_rn(__dadd_rn(result, value), value);
  else
    result = __dmul_rn(__dmul_rn(__dmul_rn(result, value), value), value);
  out[threadIdx.x] = result;
}

__global__ void either_memory(const double* x, bool shared, double* out) {
  __shared__ double own[32];
  own[threadIdx.x] = 1.0;
  __syncthreads();
  const double* from = shared ? own : x;
  out[threadIdx.x] = from[threadIdx.x];
}

__global__ void atomics_and_pairs(int* sum, const double2* from, double2* to) {
  __shared__ int own;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  atomicAdd(&own, 1);
  atomicAdd(sum, 1);
  to[threadIdx.x] = from[threadIdx.x];
}

__global__ void single_precision(const float* x, float* out) {
  const float value = x[threadIdx.x];
  out[threadIdx.x] = __fdiv_rn(__fadd_rn(__fmaf_rn(value, value, 1.0f), 3.0f), value);
}

}  // namespace

cudaError_t launch_arithmetic(const double* x, const double* y, double* out, int n, int threads,
                              cudaStream_t stream) {
  arithmetic<<<1, threads, 0, stream>>>(x, y, out, n);
  return cudaGetLastError();
}

cudaError_t launch_triangle(const double* x, double* out, int threads, cudaStream_t stream) {
  triangle<<<1, threads, 0, stream>>>(x, out);
  return cudaGetLastError();
}

cudaError_t launch_two_ways(double value, double* out, int threads, cudaStream_t stream) {
  two_ways<<<1, threads, 0, stream>>>(value, out);
  return cudaGetLastError();
}

cudaError_t launch_either_memory(const double* x, bool shared, double* out, int threads, cudaStream_t stream) {
  either_memory<<<1, threads, 0, stream>>>(x, shared, out);
  return cudaGetLastError();
}

cudaError_t launch_atomics_and_pairs(int* sum, const double* from, double* to, int threads, cudaStream_t stream) {
  atomics_and_pairs<<<1, threads, 0, stream>>>(sum, reinterpret_cast<const double2*>(from),
                                               reinterpret_cast<double2*>(to));
  return cudaGetLastError();
}

cudaError_t launch_single_precision(const float* x, float* out, int threads, cudaStream_t stream) {
  single_precision<<<1, threads, 0, stream>>>(x, out);
  return cudaGetLastError();
}
