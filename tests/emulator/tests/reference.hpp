// Column-major matrices with padding and plain-loop references for the stand-in libraries.
#pragma once
#include <cublas_v2.h>

#include <cmath>
#include <limits>
#include <random>

#include "device_array.hpp"

using Index = std::int64_t;

constexpr double sentinel = 12345;  // what padding holds, before and after every call
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline double random_number() {
  static std::mt19937 generator(7);
  return std::uniform_real_distribution<double>(-1, 1)(generator);
}

// Holds exactly the elements that a routine may touch: no padding after the last column.
template <class T = double>
struct Matrix {
  Index rows, columns, ld;
  std::vector<T> data;

  Matrix(Index rows, Index columns, Index padding = 0)
      : rows(rows), columns(columns), ld(std::max<Index>(1, rows) + padding) {
    data.assign(rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0, T(sentinel));
  }
  T& operator()(Index i, Index j) { return data[i + j * ld]; }
  T operator()(Index i, Index j) const { return data[i + j * ld]; }

  template <class Entry>
  Matrix& fill(const Entry& entry) {
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) (*this)(i, j) = T(entry(i, j));
    return *this;
  }
};

template <class T = double>
Matrix<T> random_matrix(Index rows, Index columns, Index padding = 0) {
  return Matrix<T>(rows, columns, padding).fill([](Index, Index) { return random_number(); });
}

// The stored matrix of which op() has the given shape.
template <class T = double>
Matrix<T> random_operand(cublasOperation_t operation, Index rows, Index columns, Index padding) {
  return operation == CUBLAS_OP_N ? random_matrix<T>(rows, columns, padding)
                                  : random_matrix<T>(columns, rows, padding);
}

template <class T>
double element(const Matrix<T>& matrix, cublasOperation_t operation, Index i, Index j) {
  return operation == CUBLAS_OP_N ? matrix(i, j) : matrix(j, i);
}

inline bool in_triangle(cublasFillMode_t uplo, Index i, Index j) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
}

// NaN where a routine must not look, or where it leaves nothing of worth.
template <class T>
void forbid_other_triangle(Matrix<T>& matrix, cublasFillMode_t uplo) {
  matrix.fill([&](Index i, Index j) { return in_triangle(uplo, i, j) ? matrix(i, j) : T(not_a_number); });
}

// Equal up to rounding inside the matrix and exactly in the padding; NaN where NaN is expected.
template <class T>
void expect_near(const std::vector<T>& actual, const Matrix<T>& expected, double tolerance, const char* what) {
  ASSERT_EQ(actual.size(), expected.data.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    const bool padding = static_cast<Index>(k) % expected.ld >= expected.rows;
    if (std::isnan(expected.data[k])) {
      ASSERT_TRUE(std::isnan(actual[k])) << what << " at " << k;
    } else {
      ASSERT_NEAR(actual[k], expected.data[k], padding ? 0 : tolerance) << what << " at " << k;
    }
  }
}

// A sum of k products of numbers up to 1, and a few roundings more.
template <class T = double>
double rounding(Index k) {
  return 16.0 * std::numeric_limits<T>::epsilon() * static_cast<double>(k + 4);
}

constexpr cublasOperation_t all_operations[] = {CUBLAS_OP_N, CUBLAS_OP_T};
constexpr cublasFillMode_t all_uplos[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasSideMode_t all_sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
constexpr cublasDiagType_t all_diags[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
