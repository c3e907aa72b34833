// Parts of the language, each behind a function that launches it and writes what it found.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

constexpr int warp_results = 6 * 32, integer_results = 6, math_functions = 12;

cudaError_t launch_print(int n, cudaStream_t stream);
// to[i] = from[(i + shift) % 64], through an array of one thread.
cudaError_t launch_local_array(const int* from, int* to, int shift, cudaStream_t stream);
// Swaps the halves of 16 pairs of doubles.
cudaError_t launch_vectors(const double* from, double* to, cudaStream_t stream);
// *out = 30, through a variable that holds an address of another one.
cudaError_t launch_address_initialiser(int* out, cudaStream_t stream);
// Row r of 32: what each lane got from the r-th warp function.
cudaError_t launch_warp_functions(unsigned* out, cudaStream_t stream);
cudaError_t launch_integers(const long long* pair, unsigned long long* out, cudaStream_t stream);
// 64 threads walk through a switch; `rounds` steps each.
cudaError_t launch_branches(const int* from, int* to, int rounds, cudaStream_t stream);
// Row f of n: function f at x[0 .. n - 1].
cudaError_t launch_math(const double* x, double* out, int n, cudaStream_t stream);
// *out = depth, by a function that calls itself.
cudaError_t launch_recursion(int depth, int* out, cudaStream_t stream);
