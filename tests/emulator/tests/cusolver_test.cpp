// The stand-in for cuSOLVER: factors against matrices made from known factors, rules of the calls.
#include <cusolverDn.h>

#include "reference.hpp"

namespace {

class Cusolver : public ::testing::TestWithParam<cublasFillMode_t> {
 protected:
  void SetUp() override {
    ASSERT_EQ(cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnCreateParams(&params), CUSOLVER_STATUS_SUCCESS);
  }
  void TearDown() override {
    ASSERT_EQ(cusolverDnDestroyParams(params), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnDestroy(handle), CUSOLVER_STATUS_SUCCESS);
  }

  // A factor with a diagonal around 2, NaN outside its triangle.
  Matrix<> factor(Index n) const {
    auto f = random_matrix(n, n, 1);
    f.fill([&](Index i, Index j) { return i == j ? 2 + f(i, j) / 2 : f(i, j) / std::sqrt(double(n)); });
    forbid_other_triangle(f, uplo);
    return f;
  }

  // The matrix that it is the factor of; both triangles.
  Matrix<> square(const Matrix<>& f) const {
    Matrix<> result = f;
    return result.fill([&](Index i, Index j) {
      double sum = 0;
      for (Index l = 0; l <= std::min(i, j); ++l)
        sum += uplo == CUBLAS_FILL_MODE_LOWER ? f(i, l) * f(j, l) : f(l, i) * f(l, j);
      return sum;
    });
  }

  const cublasFillMode_t uplo = GetParam();
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Triangles, Cusolver, ::testing::ValuesIn(all_uplos),
                         [](const auto& info) { return info.param == CUBLAS_FILL_MODE_LOWER ? "lower" : "upper"; });

}  // namespace

TEST_P(Cusolver, SixtyFourBitFactorAndSolve) {
  for (const Index n : {1, 20, 70}) {
    const auto f = factor(n), a = square(f), x = random_matrix(n, 2);
    auto b = x;
    b.fill([&](Index i, Index j) {
      double sum = 0;
      for (Index l = 0; l < n; ++l) sum += a(i, l) * x(l, j);
      return sum;
    });
    const DeviceArray<double> da(a.data), db(b.data);
    const DeviceArray<int> info(1);
    std::size_t on_device = 0, on_host = 0;
    ASSERT_EQ(
        cusolverDnXpotrf_bufferSize(handle, params, uplo, n, CUDA_R_64F, da, a.ld, CUDA_R_64F, &on_device, &on_host),
        CUSOLVER_STATUS_SUCCESS);
    const DeviceArray<char> workspace(on_device);
    std::vector<char> host(on_host);
    const auto potrf = [&](cusolverDnParams_t given, std::size_t device_bytes, void* host_memory) {
      return cusolverDnXpotrf(handle, given, uplo, n, CUDA_R_64F, da, a.ld, CUDA_R_64F, workspace, device_bytes,
                              host_memory, on_host, info);
    };
    EXPECT_EQ(potrf(nullptr, on_device, host.data()), CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT_DEATH(potrf(params, on_device - 1, host.data()), "workspace of .* bytes, but bufferSize asks for");
    EXPECT_DEATH(potrf(params, on_device, nullptr), "not host memory");
    ASSERT_EQ(potrf(params, on_device, host.data()), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info.values()[0], 0);
    expect_near(da.values(), f, rounding(n), "Xpotrf");
    ASSERT_EQ(cusolverDnXpotrs(handle, params, uplo, n, 2, CUDA_R_64F, da, a.ld, CUDA_R_64F, db, n, info),
              CUSOLVER_STATUS_SUCCESS);
    expect_near(db.values(), x, 10 * rounding(n), "Xpotrs");  // the condition number is below 10
  }
}

TEST_P(Cusolver, AMatrixThatIsNotPositiveDefinite) {
  const Index n = 5;
  for (const double bad : {-5.0, not_a_number}) {
    auto a = square(factor(n));
    a(3, 3) = bad;
    const DeviceArray<double> da(a.data);
    const DeviceArray<int> info(1);
    int elements = 0;
    ASSERT_EQ(cusolverDnDpotrf_bufferSize(handle, uplo, n, da, a.ld, &elements), CUSOLVER_STATUS_SUCCESS);
    const DeviceArray<double> workspace((std::size_t(elements)));
    ASSERT_EQ(cusolverDnDpotrf(handle, uplo, n, da, a.ld, workspace, elements, info), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info.values()[0], 4);
  }
}

TEST_P(Cusolver, Inverse) {
  const Index n = 9;
  const auto f = factor(n), a = square(f);
  const DeviceArray<double> da(f.data);
  const DeviceArray<int> info(1);
  int elements = 0;
  ASSERT_EQ(cusolverDnDpotri_bufferSize(handle, uplo, n, da, a.ld, &elements), CUSOLVER_STATUS_SUCCESS);
  const DeviceArray<double> workspace((std::size_t(elements)));
  ASSERT_EQ(cusolverDnDpotri(handle, uplo, n, da, a.ld, workspace, elements, info), CUSOLVER_STATUS_SUCCESS);
  Matrix<> inverse = f;
  inverse.data = da.values();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index l = 0; l < n; ++l) sum += a(i, l) * (in_triangle(uplo, l, j) ? inverse(l, j) : inverse(j, l));
      EXPECT_NEAR(sum, i == j, 10 * rounding(n));
    }
}

TEST_P(Cusolver, Batched) {
  const Index n = 66, count = 3;
  std::vector<Matrix<>> factors;
  std::vector<std::unique_ptr<DeviceArray<double>>> memory;
  std::vector<double*> pointers;
  for (Index k = 0; k < count; ++k) {
    factors.push_back(factor(n));
    auto a = square(factors.back());
    if (k == 1) a(n - 1, n - 1) = -5;  // one bad matrix among good ones
    memory.push_back(std::make_unique<DeviceArray<double>>(a.data));
    pointers.push_back(memory.back()->get());
  }
  const DeviceArray<double*> matrices(pointers);
  const DeviceArray<int> infos(count);
  const auto potrf = [&](double** array, int lda, int size) {
    return cusolverDnDpotrfBatched(handle, uplo, n, array, lda, infos, size);
  };
  ASSERT_EQ(potrf(matrices, n + 1, count), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(infos.values(), (std::vector<int>{0, int(n), 0}));
  for (const Index k : {0, 2}) expect_near(memory[k]->values(), factors[k], rounding(n), "potrfBatched");
  EXPECT_EQ(potrf(matrices, n - 1, count), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(potrf(matrices, n + 1, 0), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_DEATH(potrf(pointers.data(), n + 1, count), "array of A: .* neither device memory nor pinned");
  EXPECT_DEATH(cusolverDnDpotrsBatched(handle, uplo, n, 2, matrices, n + 1, matrices, n + 1, infos, count),
               "nrhs is 2");
}

TEST_P(Cusolver, Settings) {
  const Stream stream;
  cudaStream_t found = nullptr;
  cusolverMathMode_t math{};
  ASSERT_EQ(cusolverDnSetStream(handle, stream), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(cusolverDnGetStream(handle, &found), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(found, static_cast<cudaStream_t>(stream));
  ASSERT_EQ(cusolverDnGetMathMode(handle, &math), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(math, CUSOLVER_DEFAULT_MATH);
  EXPECT_EQ(cusolverDnSetMathMode(handle, static_cast<cusolverMathMode_t>(9)), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSetDeterministicMode(handle, CUSOLVER_DETERMINISTIC_RESULTS), CUSOLVER_STATUS_SUCCESS);
}
