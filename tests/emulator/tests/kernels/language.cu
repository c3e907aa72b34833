#include "language.hpp"

#include <cassert>
#include <cmath>
#include <cstdio>

namespace {

__device__ int twice(int x) { return 2 * x; }
__device__ int (*function_pointer)(int) = twice;
__device__ int target[4] = {10, 20, 30, 40};
__device__ int* pointer_to_target = target + 2;

// Never launched: calls through pointers are not supported, and must not disturb the rest of the module.
__global__ void calls_through_pointer(int* p) { *p = function_pointer(*p); }

__global__ void print(int n) {
  assert(n > 0);
  printf("n=%d x=%.2f s=%s c=%c l=%lld %%\n", n, 1.5, "text", 'z', 1ll << 40);
}

__global__ void local_array(const int* from, int* to, int shift) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = from[i];
  for (int i = 0; i < 64; ++i) to[i] = values[(i + shift) % 64];
}

__global__ void vectors(const double2* from, double2* to) {
  const double2 v = from[threadIdx.x];
  to[threadIdx.x] = make_double2(v.y, v.x);
}

__global__ void address_initialiser(int* out) { out[0] = *pointer_to_target; }

__global__ void warp_functions(unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  out[0 * 32 + lane] = __match_any_sync(~0u, lane / 8);
  out[1 * 32 + lane] = __ballot_sync(~0u, lane % 3 == 0);
  out[2 * 32 + lane] = __any_sync(~0u, lane == 5) + 2 * __all_sync(~0u, lane < 32);
  out[3 * 32 + lane] = __shfl_up_sync(~0u, lane, 1);
  out[4 * 32 + lane] = lane < 16 ? __shfl_xor_sync(0xffffu, lane, 3) : __shfl_xor_sync(0xffff0000u, lane, 5);
  out[5 * 32 + lane] =
      __syncthreads_count(lane % 2) + 100 * __syncthreads_or(lane == 40) + 200 * __syncthreads_and(1);
}

__global__ void integers(const long long* pair, unsigned long long* out) {
  const long long a = pair[0], b = pair[1];
  out[0] = __umul64hi(a, b);
  out[1] = __mul64hi(-a, b);
  out[2] = a / b + a % b;
  out[3] = __brevll(a) ^ __clzll(b) ^ __popcll(a) ^ __ffsll(b);
  out[4] = __funnelshift_l(unsigned(a), unsigned(b), 9) + __byte_perm(unsigned(a), unsigned(b), 0x5410);
  out[5] = static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

// Dense enough for a table of branches.
__global__ void branches(const int* from, int* to, int rounds) {
  int x = from[threadIdx.x], kind = threadIdx.x % 8;
  for (int i = 0; i < rounds; ++i) {
    switch (kind) {
      case 0:
        x = x * 3 + 1;
        break;
      case 1:
        x ^= 0x55;
        break;
      case 2:
        x = __popc(x);
        break;
      case 3:
        x = x / 7;
        break;
      case 4:
        x = __clz(x);
        break;
      case 5:
        x = -x;
        break;
      case 6:
        x = x % 5 + i;
        break;
      default:
        x += 100;
    }
    kind = (kind + 1) % 8;
  }
  to[threadIdx.x] = x;
}

__global__ void math(const double* in, double* out, int n) {
  const int i = threadIdx.x;
  const double x = in[i];
  out[0 * n + i] = exp(x);
  out[1 * n + i] = log(x);
  out[2 * n + i] = expm1(-x);
  out[3 * n + i] = log1p(x);
  out[4 * n + i] = sqrt(x);
  out[5 * n + i] = erfc(x);
  out[6 * n + i] = pow(x, 2.3);
  out[7 * n + i] = sin(1e6 * x);
  out[8 * n + i] = tanh(x);
  out[9 * n + i] = lgamma(x);
  out[10 * n + i] = fma(x, x, -x);
  out[11 * n + i] = 1.0 / (x + 0.3);
}

__device__ __noinline__ int count_down(int depth) { return depth == 0 ? 0 : 1 + count_down(depth - 1); }

__global__ void recursion(int depth, int* out) { *out = count_down(depth); }

}  // namespace

cudaError_t launch_print(int n, cudaStream_t stream) {
  print<<<1, 1, 0, stream>>>(n);
  return cudaGetLastError();
}

cudaError_t launch_local_array(const int* from, int* to, int shift, cudaStream_t stream) {
  local_array<<<1, 1, 0, stream>>>(from, to, shift);
  return cudaGetLastError();
}

cudaError_t launch_vectors(const double* from, double* to, cudaStream_t stream) {
  vectors<<<1, 16, 0, stream>>>(reinterpret_cast<const double2*>(from), reinterpret_cast<double2*>(to));
  return cudaGetLastError();
}

cudaError_t launch_address_initialiser(int* out, cudaStream_t stream) {
  address_initialiser<<<1, 1, 0, stream>>>(out);
  return cudaGetLastError();
}

cudaError_t launch_warp_functions(unsigned* out, cudaStream_t stream) {
  warp_functions<<<1, 32, 0, stream>>>(out);
  return cudaGetLastError();
}

cudaError_t launch_integers(const long long* pair, unsigned long long* out, cudaStream_t stream) {
  integers<<<1, 1, 0, stream>>>(pair, out);
  return cudaGetLastError();
}

cudaError_t launch_branches(const int* from, int* to, int rounds, cudaStream_t stream) {
  branches<<<1, 64, 0, stream>>>(from, to, rounds);
  return cudaGetLastError();
}

cudaError_t launch_math(const double* x, double* out, int n, cudaStream_t stream) {
  math<<<1, n, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}

cudaError_t launch_recursion(int depth, int* out, cudaStream_t stream) {
  recursion<<<1, 1, 0, stream>>>(depth, out);
  return cudaGetLastError();
}
