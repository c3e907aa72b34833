// Kernels whose work is known, behind functions that launch them with one block of `threads`.
#pragma once
#include <cuda_runtime_api.h>

// Threads below n, each: two numbers read and one written; fma, add, mul; div, sqrt.
cudaError_t launch_arithmetic(const double* x, const double* y, double* out, int n, int threads, cudaStream_t stream);

// Thread i goes i times round a loop with one fma and one number read.
cudaError_t launch_triangle(const double* x, double* out, int threads, cudaStream_t stream);

// Even threads: two adds; odd ones: three muls. Each writes its result.
cudaError_t launch_two_ways(double value, double* out, int threads, cudaStream_t stream);

// Each thread reads one number through a pointer that leads to `x` or to shared memory, and writes it.
cudaError_t launch_either_memory(const double* x, bool shared, double* out, int threads, cudaStream_t stream);

// Each thread: one atomic on device memory and one on shared memory; then a pair of numbers copied at once.
cudaError_t launch_atomics_and_pairs(int* sum, const double* from, double* to, int threads, cudaStream_t stream);

// float32, each thread: fma, add, division; 4 bytes read and written.
cudaError_t launch_single_precision(const float* x, float* out, int threads, cudaStream_t stream);
