// The cuSOLVER dense context, and the steps that every cuSOLVER routine goes through.
#pragma once
#include <cusolverDn.h>

#include <functional>

#include "checks.hpp"
#include "device_memory.hpp"
#include "emulator.hpp"
#include "work.hpp"

struct cusolverDnContext {
  int device = emulator::current_device();
  cudaStream_t stream = nullptr;
  cusolverDeterministicMode_t deterministic_mode = CUSOLVER_DETERMINISTIC_RESULTS;
  cusolverMathMode_t math_mode = CUSOLVER_DEFAULT_MATH;
  cudaEmulationStrategy_t emulation_strategy = CUDA_EMULATION_STRATEGY_DEFAULT;
};

struct cusolverDnParams {
  cusolverAlgMode_t algorithm[3] = {CUSOLVER_ALG_0, CUSOLVER_ALG_0, CUSOLVER_ALG_0};
};

namespace standin {

// The first step of every call: the fault plan, then the handle.
cusolverStatus_t enter(const char* call, cusolverDnHandle_t handle);

// Null is an invalid value; anything else that cusolverDnCreateParams did not return is a defect.
bool valid_params(const char* call, cusolverDnParams_t params);

// The last step: counts the call and its work, and puts its body into the handle's stream.
cusolverStatus_t submit(cusolverDnHandle_t handle, const char* call, const Work& work, std::function<void()> body);

// Checks a workspace at the call: its stated size against what bufferSize answers, and where it lies.
void check_device_workspace(const char* call, const void* workspace, std::size_t given, std::size_t required);
void check_host_workspace(const char* call, void* workspace, std::size_t given, std::size_t required);

// Reports a workspace that shares memory with the matrix. Runs inside the work, on translated addresses.
template <class T>
void check_apart(const char* call, const T* matrix, Index rows, Index columns, Index ld, const T* workspace,
                 Index count) {
  if (matrix == nullptr || workspace == nullptr) return;
  const T* end = matrix + (columns - 1) * ld + rows;
  if (matrix < workspace + count && workspace < end) emulator::defect("%s: the workspace overlaps the matrix", call);
}

inline void store_info(const char* call, int* info, int value) { *device_array(info, 1, call, "info") = value; }

// Elements of device workspace that the stand-in demands. It needs none; the sizes grow with n as the real ones do,
// so that a workspace made for another matrix shows.
inline Index factor_workspace(Index n) { return 32 * n; }
inline Index inverse_workspace(Index n) { return 64 * n; }

// For the 64-bit interface, which takes data types as arguments.
//
// The real library often answers 0 bytes of host memory. A size that grows with n exercises the program's handling.
inline std::size_t host_workspace(Index n) { return static_cast<std::size_t>(8 * n); }

inline void require_real(const char* call, cudaDataType type) {
  if (type == CUDA_R_32F || type == CUDA_R_64F) return;
  emulator::defect("%s: this stand-in computes with 32-bit and 64-bit floats only, not data type %d", call, type);
}

inline std::size_t element_size(cudaDataType type) { return type == CUDA_R_32F ? sizeof(float) : sizeof(double); }

}  // namespace standin

// Definitions of one routine for float and double. WRAPPER(symbol, T) defines one function.
#define STANDIN_SOLVER_EXPORT(WRAPPER, routine) \
  WRAPPER(cusolverDnS##routine, float)          \
  WRAPPER(cusolverDnD##routine, double)
