// Device algorithms of CUB and Thrust behind plain functions.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

// CUB's two phases: with a null workspace only its size is told.
cudaError_t sort_pairs(void* workspace, std::size_t& bytes, const double* keys, double* sorted_keys,
                       const int* values, int* sorted_values, int n, cudaStream_t stream);

// Writes the indices of the keys above the threshold, in order, and returns their number. Synchronises.
int select_above(const double* keys, int* indices, int n, double threshold, cudaStream_t stream);

// Synchronises.
double sum_of_squares(const double* values, int n, cudaStream_t stream);

cudaError_t scale_in_first_module(double* values, int n, double factor, cudaStream_t stream);
