#include "plain.hpp"

#include <cuda_fp16.h>

#include "scale.cuh"

__device__ int counter = 5;
__constant__ double table[4] = {1, 2, 3, 4};

namespace {

__global__ void fill(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}

__global__ void add_one(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}

__global__ void increment(int* p) { atomicAdd(p, 1); }

__global__ void locked_sum(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += blockIdx.x;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void backward_chain(volatile int* done) {
  if (threadIdx.x != 0) return;
  while (blockIdx.x + 1 < gridDim.x && done[blockIdx.x + 1] == 0) {
  }
  done[blockIdx.x] = done[blockIdx.x + 1] + 1;
}

__global__ void __launch_bounds__(128) bounded(int* out) {
  __shared__ double values[100];
  values[threadIdx.x % 100] = table[threadIdx.x % 4];
  __syncthreads();
  if (threadIdx.x == 0) out[0] = static_cast<int>(values[2]) + atomicAdd(&counter, 1);
}

__global__ void reverse(double* out) {
  extern __shared__ double values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__global__ void write_at(int* p, long long index) { p[index] = 1; }

__global__ void read_shared(int* p, int index) {
  __shared__ int values[32];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[0] = values[index];
}

__global__ void dynamic_shared(int* p, int index) {
  extern __shared__ int words[];
  words[index] = 1;
  __syncthreads();
  p[0] = words[index];
}

__global__ void exchange(int* p, bool with_barrier) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  if (with_barrier) __syncthreads();
  p[threadIdx.x] = values[63 - threadIdx.x];
}

__global__ void sum_of(const double* p, int n, double* sum) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += p[i];
  *sum = total;
}

__global__ void divergent_barrier() {
  if (threadIdx.x < 16) __syncthreads();
}

__global__ void barriers_at_two_places(int* p) {
  if (threadIdx.x < 16) {
    p[0] = 1;
    __syncthreads();
  } else {
    p[1] = 1;
    __syncthreads();
  }
}

__global__ void lane_outside_mask(int* p) { p[threadIdx.x] = __shfl_sync(0x0000ffffu, int(threadIdx.x), 0); }

__global__ void lane_missing_from_shuffle(int* p) {
  if (threadIdx.x < 31) {
    p[threadIdx.x] = __shfl_sync(0xffffffffu, int(threadIdx.x), 0);
  } else {
    __syncthreads();
  }
}

__global__ void read_from_exited_lane(int* p) {
  if (threadIdx.x == 31) return;
  p[threadIdx.x] = __shfl_sync(0xffffffffu, int(threadIdx.x), 31);
}

__global__ void endless_wait(volatile int* flag) {
  while (*flag != 1) {
  }
}

__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }

__global__ void trap(const int* p) {
  if (p) __trap();
}

__global__ void half_precision(__half* p) { *p = *p + *p; }

}  // namespace

cudaError_t launch_fill(int* p, int n, int value, cudaStream_t stream) {
  fill<<<(n + 255) / 256, 256, 0, stream>>>(p, n, value);
  return cudaGetLastError();
}

cudaError_t launch_add_one(const int* from, int* to, int n, cudaStream_t stream) {
  add_one<<<(n + 255) / 256, 256, 0, stream>>>(from, to, n);
  return cudaGetLastError();
}

cudaError_t launch_increment(int* p, cudaStream_t stream) {
  increment<<<2, 32, 0, stream>>>(p);
  return cudaGetLastError();
}

cudaError_t scale_in_second_module(double* values, int n, double factor, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(values, n, factor);
  return cudaGetLastError();
}

cudaError_t launch_locked_sum(int blocks, int* lock, int* sum, cudaStream_t stream) {
  locked_sum<<<blocks, 32, 0, stream>>>(lock, sum);
  return cudaGetLastError();
}

cudaError_t launch_backward_chain(int blocks, int* done, cudaStream_t stream) {
  backward_chain<<<blocks, 32, 0, stream>>>(done);
  return cudaGetLastError();
}

const void* bounded_kernel() { return reinterpret_cast<const void*>(bounded); }
const void* reverse_kernel() { return reinterpret_cast<const void*>(reverse); }
const void* counter_variable() { return &counter; }

cudaError_t launch_bounded(int threads, int* out, cudaStream_t stream) {
  bounded<<<1, threads, 0, stream>>>(out);
  return cudaGetLastError();
}

cudaError_t launch_reverse(int threads, unsigned bytes, double* out, cudaStream_t stream) {
  reverse<<<1, threads, bytes, stream>>>(out);
  return cudaGetLastError();
}

cudaError_t launch_write_at(int* p, long long index, int threads, cudaStream_t stream) {
  write_at<<<1, threads, 0, stream>>>(p, index);
  return cudaGetLastError();
}

cudaError_t launch_read_shared(int* p, int index, cudaStream_t stream) {
  read_shared<<<1, 32, 0, stream>>>(p, index);
  return cudaGetLastError();
}

cudaError_t launch_dynamic_shared(int* p, int index, cudaStream_t stream) {
  dynamic_shared<<<1, 1, 32 * sizeof(int), stream>>>(p, index);
  return cudaGetLastError();
}

cudaError_t launch_exchange(int* p, bool with_barrier, cudaStream_t stream) {
  exchange<<<1, 64, 0, stream>>>(p, with_barrier);
  return cudaGetLastError();
}

cudaError_t launch_sum(const double* p, int n, double* sum, cudaStream_t stream) {
  sum_of<<<1, 1, 0, stream>>>(p, n, sum);
  return cudaGetLastError();
}

cudaError_t launch_defect(Defect defect, int* p, cudaStream_t stream) {
  switch (defect) {
    case Defect::divergent_barrier:
      divergent_barrier<<<1, 32, 0, stream>>>();
      break;
    case Defect::barriers_at_two_places:
      barriers_at_two_places<<<1, 32, 0, stream>>>(p);
      break;
    case Defect::lane_outside_mask:
      lane_outside_mask<<<1, 32, 0, stream>>>(p);
      break;
    case Defect::lane_missing_from_shuffle:
      lane_missing_from_shuffle<<<1, 32, 0, stream>>>(p);
      break;
    case Defect::read_from_exited_lane:
      read_from_exited_lane<<<1, 32, 0, stream>>>(p);
      break;
    case Defect::endless_wait:
      endless_wait<<<1, 32, 0, stream>>>(p);
      break;
    case Defect::misaligned:
      misaligned<<<1, 1, 0, stream>>>(reinterpret_cast<char*>(p));
      break;
    case Defect::trap:
      trap<<<1, 1, 0, stream>>>(p);
      break;
    case Defect::half_precision:
      half_precision<<<1, 1, 0, stream>>>(reinterpret_cast<__half*>(p));
      break;
  }
  return cudaGetLastError();
}
