// Cholesky on one matrix, shared by the typed routines and the generic ones with an X.
#pragma once
#include "cusolver_handle.hpp"

namespace standin {

inline bool valid_matrix(cublasFillMode_t uplo, Index n, Index lda) {
  return valid(uplo) && n >= 0 && valid_leading_dimension(lda, n);
}

// The steps after the checks: enqueues the factorisation. An empty matrix still gets its info.
template <class T>
cusolverStatus_t submit_factor(cusolverDnHandle_t handle, const char* call, cublasFillMode_t uplo, Index n, T* a,
                               Index lda, T* workspace, int* info) {
  return submit(handle, call, factor_work<T>(n), [=] {
    T* matrix = device_matrix(a, n, n, lda, call, "A");
    T* scratch = device_array(workspace, factor_workspace(n), call, "workspace");
    check_apart(call, matrix, n, n, lda, scratch, factor_workspace(n));
    poison(scratch, factor_workspace(n));
    store_info(call, info, kernels::potrf(uplo, n, matrix, lda));
    // The documentation says that one matrix keeps its other triangle and that a batch loses it. It is lost here in
    // both cases, so that nothing comes to depend on the difference.
    poison_other_triangle(uplo, n, matrix, lda);
  });
}

template <class T>
cusolverStatus_t submit_solve(cusolverDnHandle_t handle, const char* call, cublasFillMode_t uplo, Index n, Index nrhs,
                              const T* a, Index lda, T* b, Index ldb, int* info) {
  return submit(handle, call, times(2, triangular_work<T>(n, nrhs)), [=] {
    if (nrhs > 0) {
      const T* factor = device_matrix(a, n, n, lda, call, "A");
      T* solution = device_matrix(b, n, nrhs, ldb, call, "B");
      kernels::potrs(uplo, n, nrhs, factor, lda, solution, ldb);
    }
    store_info(call, info, 0);
  });
}

}  // namespace standin
