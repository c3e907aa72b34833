// Small kernels, right ones and ones with a seeded defect, behind functions that launch them.
#pragma once
#include <cuda_runtime_api.h>

// p[i] = value; to[i] = from[i] + 1; *p += 1 in each of 64 threads.
cudaError_t launch_fill(int* p, int n, int value, cudaStream_t stream);
cudaError_t launch_add_one(const int* from, int* to, int n, cudaStream_t stream);
cudaError_t launch_increment(int* p, cudaStream_t stream);
cudaError_t scale_in_second_module(double* values, int n, double factor, cudaStream_t stream);

// A lock that blocks take in turn; a chain in which each block waits for the next one.
cudaError_t launch_locked_sum(int blocks, int* lock, int* sum, cudaStream_t stream);
cudaError_t launch_backward_chain(int blocks, int* done, cudaStream_t stream);

// A kernel with launch bounds of 128, 800 bytes of static shared memory, a variable and a table in constant memory:
// adds 1 to the variable, which starts at 5, and writes its old value plus 3.
const void* bounded_kernel();
const void* counter_variable();
cudaError_t launch_bounded(int threads, int* out, cudaStream_t stream);

// Reverses 0 .. threads - 1 through dynamic shared memory.
const void* reverse_kernel();
cudaError_t launch_reverse(int threads, unsigned bytes, double* out, cudaStream_t stream);

// Right for the arguments in range, a defect for others.
cudaError_t launch_write_at(int* p, long long index, int threads, cudaStream_t stream);
cudaError_t launch_read_shared(int* p, int index, cudaStream_t stream);
cudaError_t launch_dynamic_shared(int* p, int index, cudaStream_t stream);  // 32 ints

// 64 threads exchange through shared memory, with a barrier or without; *p is uninitialised input of the sum.
cudaError_t launch_exchange(int* p, bool with_barrier, cudaStream_t stream);
cudaError_t launch_sum(const double* p, int n, double* sum, cudaStream_t stream);

// Defects, always.
enum class Defect {
  divergent_barrier,
  barriers_at_two_places,
  lane_outside_mask,
  lane_missing_from_shuffle,
  read_from_exited_lane,
  endless_wait,
  misaligned,
  trap,
  half_precision
};
cudaError_t launch_defect(Defect defect, int* p, cudaStream_t stream);
