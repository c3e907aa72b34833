// cuBLAS level 1: axpy, scal, dot, nrm2, copy.
#include <cmath>

#include "cublas_handle.hpp"

namespace standin {
namespace {

// Adds term(first) .. term(last - 1) by halves: the error grows as in a parallel reduction, not as in a running sum.
template <class T, class Term>
T pairwise_sum(Index first, Index last, const Term& term) {
  if (last - first <= 32) {
    T sum = 0;
    for (Index i = first; i < last; ++i) sum += term(i);
    return sum;
  }
  const Index middle = first + (last - first) / 2;
  return pairwise_sum<T>(first, middle, term) + pairwise_sum<T>(middle, last, term);
}

template <class T>
cublasStatus_t axpy(const char* call, cublasHandle_t handle, Index n, const T* alpha, const T* x, Index incx, T* y,
                    Index incy) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, call, "alpha");
  return submit(handle, call, work_of<T>(2 * n, 3 * n), [=] {
    const T a = factor.value();
    if (a == T(0)) return;
    const auto from = device_vector(x, n, incx, call, "x");
    const auto to = device_vector(y, n, incy, call, "y");
    for (Index i = 0; i < n; ++i) to[i] += a * from[i];
  });
}

template <class T>
cublasStatus_t scal(const char* call, cublasHandle_t handle, Index n, const T* alpha, T* x, Index incx) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha, call, "alpha");
  return submit(handle, call, work_of<T>(n, 2 * n), [=] {
    const T a = factor.value();
    const auto vector = device_vector(x, n, incx, call, "x");
    for (Index i = 0; i < n; ++i) vector[i] *= a;
  });
}

template <class T>
cublasStatus_t dot(const char* call, cublasHandle_t handle, Index n, const T* x, Index incx, const T* y, Index incy,
                   T* result) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Index entries = std::max<Index>(n, 0);
  return deliver<T>(handle, call, work_of<T>(2 * entries, 2 * entries), result, [=] {
    if (n <= 0) return T(0);
    const auto left = device_vector(x, n, incx, call, "x");
    const auto right = device_vector(y, n, incy, call, "y");
    return pairwise_sum<T>(0, n, [&](Index i) { return left[i] * right[i]; });
  });
}

template <class T>
cublasStatus_t nrm2(const char* call, cublasHandle_t handle, Index n, const T* x, Index incx, T* result) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Index entries = std::max<Index>(n, 0);
  return deliver<T>(handle, call, work_of<T>(2 * entries, entries), result, [=] {
    if (n <= 0 || incx <= 0) return T(0);
    const auto vector = device_vector(x, n, incx, call, "x");
    // Scaling by the largest entry keeps the squares from overflowing or vanishing.
    T largest = 0;
    for (Index i = 0; i < n; ++i) {
      if (std::isnan(vector[i])) return vector[i];
      largest = std::max(largest, std::abs(vector[i]));
    }
    if (largest == T(0) || std::isinf(largest)) return largest;
    const T sum = pairwise_sum<T>(0, n, [&](Index i) {
      const T ratio = vector[i] / largest;
      return ratio * ratio;
    });
    return largest * std::sqrt(sum);
  });
}

template <class T>
cublasStatus_t copy(const char* call, cublasHandle_t handle, Index n, const T* x, Index incx, T* y, Index incy) {
  if (const cublasStatus_t status = enter(call, handle)) return status;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return submit(handle, call, work_of<T>(0, 2 * n), [=] {
    const auto from = device_vector(x, n, incx, call, "x");
    const auto to = device_vector(y, n, incy, call, "y");
    for (Index i = 0; i < n; ++i) to[i] = from[i];
  });
}

}  // namespace
}  // namespace standin

#define STANDIN_AXPY(SYMBOL, NAME, T, INT)                                                                   \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, INT n, const T* alpha, const T* x, INT incx, T* y, \
                                   INT incy) {                                                               \
    return standin::axpy<T>(NAME, handle, n, alpha, x, incx, y, incy);                                       \
  }

#define STANDIN_SCAL(SYMBOL, NAME, T, INT)                                                         \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, INT n, const T* alpha, T* x, INT incx) { \
    return standin::scal<T>(NAME, handle, n, alpha, x, incx);                                      \
  }

#define STANDIN_DOT(SYMBOL, NAME, T, INT)                                                                    \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, INT n, const T* x, INT incx, const T* y, INT incy, \
                                   T* result) {                                                              \
    return standin::dot<T>(NAME, handle, n, x, incx, y, incy, result);                                       \
  }

#define STANDIN_NRM2(SYMBOL, NAME, T, INT)                                                          \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, INT n, const T* x, INT incx, T* result) { \
    return standin::nrm2<T>(NAME, handle, n, x, incx, result);                                      \
  }

#define STANDIN_COPY(SYMBOL, NAME, T, INT)                                                               \
  extern "C" cublasStatus_t SYMBOL(cublasHandle_t handle, INT n, const T* x, INT incx, T* y, INT incy) { \
    return standin::copy<T>(NAME, handle, n, x, incx, y, incy);                                          \
  }

STANDIN_EXPORT_V2(STANDIN_AXPY, axpy)
STANDIN_EXPORT_V2(STANDIN_SCAL, scal)
STANDIN_EXPORT_V2(STANDIN_DOT, dot)
STANDIN_EXPORT_V2(STANDIN_NRM2, nrm2)
STANDIN_EXPORT_V2(STANDIN_COPY, copy)
