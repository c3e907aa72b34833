// The stand-in for cuBLAS: results against plain loops, rules of the handle.
#include <cstdlib>

#include "reference.hpp"

namespace {

using emulator::Setting;

class Cublas : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS); }
  void TearDown() override { ASSERT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS); }
  cublasHandle_t handle = nullptr;
};

// alpha op(A) op(B) + beta C by definition; C is not looked at where beta is 0.
Matrix<> product(cublasOperation_t transa, cublasOperation_t transb, Index k, double alpha, const Matrix<>& a,
                 const Matrix<>& b, double beta, const Matrix<>& c) {
  Matrix<> result = c;
  return result.fill([&](Index i, Index j) {
    double sum = 0;
    for (Index l = 0; l < k; ++l) sum += element(a, transa, i, l) * element(b, transb, l, j);
    return alpha * sum + (beta == 0 ? 0 : beta * c(i, j));
  });
}

// A triangle that is easy to solve with; what a routine must not read is NaN.
Matrix<> triangle(cublasFillMode_t uplo, cublasDiagType_t diag, Index n) {
  auto a = random_matrix(n, n, 1);
  a.fill([&](Index i, Index j) {
    if (!in_triangle(uplo, i, j) || (i == j && diag == CUBLAS_DIAG_UNIT)) return not_a_number;
    return i == j ? 2 + a(i, j) / 2 : a(i, j) / static_cast<double>(n);
  });
  return a;
}

// op() of it with its zeros and ones written out.
Matrix<> full(const Matrix<>& a, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag) {
  return Matrix<>(a.rows, a.rows).fill([&](Index i, Index j) {
    if (i == j && diag == CUBLAS_DIAG_UNIT) return 1.0;
    const bool inside = trans == CUBLAS_OP_N ? in_triangle(uplo, i, j) : in_triangle(uplo, j, i);
    return inside ? element(a, trans, i, j) : 0.0;
  });
}

Matrix<> times(cublasSideMode_t side, const Matrix<>& a, const Matrix<>& b, double scale) {
  Matrix<> result = b;
  return result.fill([&](Index i, Index j) {
    double sum = 0;
    for (Index l = 0; l < a.rows; ++l) sum += side == CUBLAS_SIDE_LEFT ? a(i, l) * b(l, j) : b(i, l) * a(l, j);
    return scale * sum;
  });
}

template <class Check>
void for_every_triangle(const Check& check) {
  for (const auto side : all_sides)
    for (const auto uplo : all_uplos)
      for (const auto trans : all_operations)
        for (const auto diag : all_diags) check(side, uplo, trans, diag);
}

}  // namespace

TEST_F(Cublas, Gemm) {
  const double alpha = 1.25;
  for (const auto transa : all_operations)
    for (const auto transb : all_operations)
      for (const Index m : {0, 1, 9})
        for (const Index n : {0, 1, 7})
          for (const Index k : {0, 1, 6, 260})
            for (const double beta : {0.0, -0.5}) {
              const auto a = random_operand(transa, m, k, 1), b = random_operand(transb, k, n, 2);
              auto c = random_matrix(m, n, 3);
              if (beta == 0) c.fill([](Index, Index) { return not_a_number; });
              const DeviceArray<double> da(a.data), db(b.data), dc(c.data);
              ASSERT_EQ(cublasDgemm(handle, transa, transb, m, n, k, &alpha, da, a.ld, db, b.ld, &beta, dc, c.ld),
                        CUBLAS_STATUS_SUCCESS);
              expect_near(dc.values(), product(transa, transb, k, alpha, a, b, beta, c), rounding(k), "gemm");
            }
}

TEST_F(Cublas, GemmInBlocksAndWithSixtyFourBitSizes) {
  const Index m = 530, n = 6, k = 300;
  const double alpha = 1, beta = 1;
  const auto a = random_matrix(m, k), b = random_matrix(k, n), c = random_matrix(m, n, 2);
  const DeviceArray<double> da(a.data), db(b.data), dc(c.data);
  ASSERT_EQ(cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da, a.ld, db, b.ld, &beta, dc, c.ld),
            CUBLAS_STATUS_SUCCESS);
  expect_near(dc.values(), product(CUBLAS_OP_N, CUBLAS_OP_N, k, 1, a, b, 1, c), rounding(k), "gemm");
}

TEST_F(Cublas, GemmInSinglePrecision) {
  const Index n = 20;
  const float alpha = 1, beta = 0;
  const auto a = random_matrix<float>(n, n), b = random_matrix<float>(n, n);
  const DeviceArray<float> da(a.data), db(b.data), dc(a.data);
  ASSERT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, da, n, db, n, &beta, dc, n),
            CUBLAS_STATUS_SUCCESS);
  auto expected = a;
  expected.fill([&](Index i, Index j) {
    double sum = 0;
    for (Index l = 0; l < n; ++l) sum += double(a(i, l)) * b(l, j);
    return sum;
  });
  expect_near(dc.values(), expected, rounding<float>(n), "sgemm");
}

TEST_F(Cublas, PoisonGetsThrough) {
  const double one = 1, zero = 0;
  const DeviceArray<double> nan(std::vector<double>{not_a_number}), b(std::vector<double>{0}),
      c(std::vector<double>{7});
  cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, nan, 1, b, 1, &zero, c, 1);
  EXPECT_TRUE(std::isnan(c.values()[0]));
  cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &zero, nullptr, 1, nullptr, 1, &zero, c, 1);
  EXPECT_EQ(c.values()[0], 0);
}

TEST_F(Cublas, BatchedGemm) {
  const Index m = 3, n = 4, k = 5, count = 3, stride_a = 20, stride_c = 17;
  const double one = 1, zero = 0;
  const auto a = random_matrix(2 * stride_a + m * k, 1), b = random_matrix(k, n);
  const std::vector<double> empty(2 * stride_c + m * n, sentinel);
  const DeviceArray<double> da(a.data), db(b.data), single(empty), strided(empty), batched(empty);
  std::vector<const double*> as, bs;
  std::vector<double*> cs;
  for (Index i = 0; i < count; ++i) {
    as.push_back(da + i * stride_a);
    bs.push_back(db);
    cs.push_back(batched + i * stride_c);
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, as[i], m, db, k, &zero, single + i * stride_c, m);
  }
  ASSERT_EQ(cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, m, stride_a, db, k, 0,
                                      &zero, strided, m, stride_c, count),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(strided.values(), single.values());
  const DeviceArray<const double*> left(as), right(bs);
  const DeviceArray<double*> results(cs);
  ASSERT_EQ(cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, left, m, right, k, &zero, results, m,
                               count),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(batched.values(), single.values());
  EXPECT_DEATH(cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, as.data(), m, right, k, &zero,
                                  results, m, count),
               "array of A: .* neither device memory nor pinned");
}

TEST_F(Cublas, Syrk) {
  const double alpha = -1.5;
  for (const auto uplo : all_uplos)
    for (const auto trans : all_operations)
      for (const Index n : {0, 1, 70})
        for (const double beta : {0.0, 0.25}) {
          const Index k = 12;
          const auto a = random_operand(trans, n, k, 1);
          auto expected = random_matrix(n, n, 2);
          const DeviceArray<double> da(a.data), dc(expected.data);
          expected.fill([&](Index i, Index j) {
            double sum = 0;
            for (Index l = 0; l < k; ++l) sum += element(a, trans, i, l) * element(a, trans, j, l);
            return in_triangle(uplo, i, j) ? alpha * sum + beta * expected(i, j) : expected(i, j);
          });
          ASSERT_EQ(cublasDsyrk(handle, uplo, trans, n, k, &alpha, da, a.ld, &beta, dc, expected.ld),
                    CUBLAS_STATUS_SUCCESS);
          expect_near(dc.values(), expected, rounding(k), "syrk");
        }
}

TEST_F(Cublas, Trsm) {
  for_every_triangle([this](auto side, auto uplo, auto trans, auto diag) {
    for (const Index m : {0, 1, 66})
      for (const Index n : {0, 1, 65}) {
        const Index order = side == CUBLAS_SIDE_LEFT ? m : n;
        const auto a = triangle(uplo, diag, order), solution = random_matrix(m, n, 2);
        const double alpha = 0.5;
        const auto right = times(side, full(a, uplo, trans, diag), solution, 2);
        const DeviceArray<double> da(a.data), db(right.data);
        ASSERT_EQ(cublasDtrsm(handle, side, uplo, trans, diag, m, n, &alpha, da, a.ld, db, right.ld),
                  CUBLAS_STATUS_SUCCESS);
        expect_near(db.values(), solution, rounding(order), "trsm");
      }
  });
}

TEST_F(Cublas, TrsmBatchedTrmmAndTrsv) {
  for_every_triangle([this](auto side, auto uplo, auto trans, auto diag) {
    const Index n = 7;
    const double one = 1;
    const auto a = triangle(uplo, diag, n), x = random_matrix(n, n, 2);
    const auto b = times(side, full(a, uplo, trans, diag), x, 1);
    const DeviceArray<double> da(a.data), first(b.data), second(b.data), dx(x.data), dc(b.data);
    const DeviceArray<const double*> triangles(std::vector<const double*>{da.get(), da.get()});
    const DeviceArray<double*> others(std::vector<double*>{first.get(), second.get()});
    ASSERT_EQ(cublasDtrsmBatched(handle, side, uplo, trans, diag, n, n, &one, triangles, a.ld, others, b.ld, 2),
              CUBLAS_STATUS_SUCCESS);
    expect_near(first.values(), x, rounding(n), "trsmBatched");
    expect_near(second.values(), x, rounding(n), "trsmBatched");
    ASSERT_EQ(cublasDtrmm(handle, side, uplo, trans, diag, n, n, &one, da, a.ld, dx, x.ld, dc, b.ld),
              CUBLAS_STATUS_SUCCESS);
    expect_near(dc.values(), b, rounding(n), "trmm");
    if (side == CUBLAS_SIDE_RIGHT) return;
    dc.assign(b.data);
    ASSERT_EQ(cublasDtrsv(handle, uplo, trans, diag, n, da, a.ld, dc, 1), CUBLAS_STATUS_SUCCESS);
    const auto solved = dc.values();
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(solved[i], x(i, 0), rounding(n));
  });
}

TEST_F(Cublas, VectorsGeamAndDgmm) {
  const Index m = 5, n = 3;
  const double two = 2, half = 0.5;
  const auto a = random_matrix(m, n), x = random_matrix(n, 1), y = random_matrix(m, 1);
  const DeviceArray<double> da(a.data), dx(x.data), dy(y.data), dc(a.data);
  ASSERT_EQ(cublasDgemv(handle, CUBLAS_OP_N, m, n, &two, da, m, dx, 1, &half, dy, 1), CUBLAS_STATUS_SUCCESS);
  expect_near(dy.values(), product(CUBLAS_OP_N, CUBLAS_OP_N, n, 2, a, x, 0.5, y), rounding(n), "gemv");
  dy.assign(y.data);
  double dot = 0, norm = 0;
  ASSERT_EQ(cublasDdot(handle, m, dy, 1, da, 1, &dot), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasDnrm2(handle, m, dy, 1, &norm), CUBLAS_STATUS_SUCCESS);
  double dot_expected = 0, square = 0;
  for (Index i = 0; i < m; ++i) {
    dot_expected += y(i, 0) * a(i, 0);
    square += y(i, 0) * y(i, 0);
  }
  EXPECT_NEAR(dot, dot_expected, rounding(m));
  EXPECT_NEAR(norm, std::sqrt(square), rounding(m));
  ASSERT_EQ(cublasDaxpy(handle, m, &two, da, 1, dy, 1), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasDscal(handle, m, &half, dy, 1), CUBLAS_STATUS_SUCCESS);
  for (Index i = 0; i < m; ++i) EXPECT_NEAR(dy.values()[i], 0.5 * (y(i, 0) + 2 * a(i, 0)), rounding(1));
  ASSERT_EQ(cublasDdgmm(handle, CUBLAS_SIDE_RIGHT, m, n, da, m, dx, 1, dc, m), CUBLAS_STATUS_SUCCESS);
  auto scaled = a;
  expect_near(dc.values(), scaled.fill([&](Index i, Index j) { return a(i, j) * x(j, 0); }), 0, "dgmm");
  const DeviceArray<double> transposed(std::size_t(m * n));
  ASSERT_EQ(cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, &two, da, m, &half, transposed, n, transposed, n),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(std::isnan(transposed.values()[0]));  // it was read, and nobody had written it
}

TEST_F(Cublas, ArgumentsThatAreRefused) {
  const double one = 1;
  const DeviceArray<double> a(std::vector<double>(16, 1.0)), c(std::vector<double>(16, 1.0));
  const auto gemm = [&](cublasOperation_t trans, int m, int lda, const double* alpha) {
    return cublasDgemm(handle, trans, CUBLAS_OP_N, m, 2, 2, alpha, a, lda, a, 2, &one, c, 4);
  };
  EXPECT_EQ(gemm(CUBLAS_OP_N, 4, 4, &one), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(gemm(static_cast<cublasOperation_t>(9), 4, 4, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(CUBLAS_OP_N, -1, 4, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(CUBLAS_OP_N, 4, 3, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(CUBLAS_OP_N, 4, 4, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasDgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &one, a, 1, a, 1, &one, c, 1),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_DEATH(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 5, 2, &one, a, 4, a, 2, &one, c, 4), "do not fit");
  EXPECT_DEATH(cublasDscal(handle, 2, a, c, 1), "alpha is a device pointer, but the handle is in host pointer mode");
}

TEST_F(Cublas, PointerModes) {
  const Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  const Stream stream;
  const DeviceArray<double> x(std::vector<double>{1, 2}), factor(std::vector<double>{3});
  ASSERT_EQ(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
  double alpha = 10;
  cublasDscal(handle, 2, &alpha, x, 1);
  alpha = 0;  // taken at the call
  ASSERT_EQ(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  cublasDscal(handle, 2, factor, x, 1);
  EXPECT_EQ(emulator_pending_operations(), 2u);
  EXPECT_EQ(x.values(), (std::vector<double>{30, 60}));
}

TEST_F(Cublas, WorkspaceAndMathModeAreCounted) {
  const Stream stream;
  const double alpha = 1;
  const DeviceArray<double> x(std::vector<double>{1, 2});
  const DeviceArray<char> workspace(1024);
  const auto counts = [&] {
    emulator_reset_counters();
    EXPECT_EQ(cublasDscal(handle, 2, &alpha, x, 1), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(emulator_counter("library calls"), 1u);
    return std::pair(emulator_counter("default workspace calls"), emulator_counter("calls open to emulated math"));
  };
  EXPECT_EQ(counts(), std::pair(1ull, 0ull));
  ASSERT_EQ(setenv("CUBLAS_EMULATE_DOUBLE_PRECISION", "1", 1), 0);
  EXPECT_EQ(counts(), std::pair(1ull, 1ull));
  ASSERT_EQ(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSetWorkspace(handle, workspace + 8, 512), CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(cublasSetWorkspace(handle, workspace, 1024), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(counts(), std::pair(0ull, 0ull));
  ASSERT_EQ(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(counts(), std::pair(1ull, 0ull));
  ASSERT_EQ(unsetenv("CUBLAS_EMULATE_DOUBLE_PRECISION"), 0);
}

TEST_F(Cublas, ACapturingStreamTakesNoWork) {
  const Stream stream;
  const double alpha = 1;
  cudaGraph_t graph = nullptr;
  const DeviceArray<double> x(std::vector<double>{1});
  ASSERT_EQ(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cublasDscal(handle, 1, &alpha, x, 1), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
}
