// Argument checks that cuBLAS and cuSOLVER share.
#pragma once
#include <algorithm>

#include "kernels.hpp"

namespace standin {

inline bool valid(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

// CUBLAS_FILL_MODE_FULL exists in the header, but no routine here takes it.
inline bool valid(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }

inline bool valid(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT; }

inline bool valid(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT; }

// The rows of the stored matrix, of which op() has `rows` rows and `columns` columns.
inline Index stored_rows(cublasOperation_t operation, Index rows, Index columns) {
  return operation == CUBLAS_OP_N ? rows : columns;
}

inline Index stored_columns(cublasOperation_t operation, Index rows, Index columns) {
  return operation == CUBLAS_OP_N ? columns : rows;
}

inline bool valid_leading_dimension(Index ld, Index rows) { return ld >= std::max<Index>(1, rows); }

}  // namespace standin
