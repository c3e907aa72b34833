#include <cuda_runtime_api.h>

#include "support/cuda_pair.hpp"
#include "support/device_array.hpp"

// Candidates that an application keeps in device memory of its own.
namespace cuda_pair {
namespace {

using carbo::test::DeviceArray;

/// Every way to lay a pool out: by row or by column, with or without room between.
struct Layout {
  bool by_row = true;
  std::size_t gap = 0;
};

template <class T>
void expect_equal_to_owned(CudaBackendFace& backend, const Scene& scene, Layout layout) {
  const std::size_t m = scene.candidates.size(), d = scene.candidates[0].size();
  const std::size_t row_stride = layout.by_row ? d + layout.gap : 1;
  const std::size_t column_stride = layout.by_row ? 1 : m + layout.gap;
  std::vector<T> values((m + layout.gap) * (d + layout.gap), std::numeric_limits<T>::quiet_NaN());
  Points rounded = scene.candidates;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t c = 0; c < d; ++c) {
      values[i * row_stride + c * column_stride] = static_cast<T>(scene.candidates[i][c]);
      rounded[i][c] = static_cast<double>(static_cast<T>(scene.candidates[i][c]));
    }
  const DeviceArray<T> memory(values);
  DeviceMatrix pool;
  pool.data = memory.data();
  pool.single_precision = sizeof(T) == sizeof(float);
  pool.rows = m;
  pool.columns = d;
  pool.row_stride = row_stride;
  pool.column_stride = column_stride;
  const auto borrowed = backend.borrow_candidates(pool);
  const auto owned = backend.make_candidates(Rows(rounded).view());
  ASSERT_EQ(borrowed->size(), m);
  const auto factor = fixture::factor(backend, scene.gp, scene.x, scene.y);
  // The same numbers in the same order: the same bits.
  EXPECT_EQ(contents(*backend.sweep(*factor, *borrowed, true)), contents(*backend.sweep(*factor, *owned, true)));
  const Rows design(scene.x);
  borrowed->set_design(design.view());
  owned->set_design(design.view());
  EXPECT_EQ(borrowed->fill(), owned->fill());
}

TEST(CudaPool, BorrowedCandidatesGiveTheBitsOfOwnedOnes) {
  const auto backend = cuda();
  for (const std::size_t m : {1, 33, 65, 257})
    for (const std::size_t d : {1, 6, 37}) {
      SCOPED_TRACE(testing::Message() << m << " candidates, " << d << " columns");
      const Scene scene(20, m, d);
      for (const Layout layout : {Layout{true, 0}, Layout{true, 3}, Layout{false, 0}, Layout{false, 5}}) {
        expect_equal_to_owned<double>(*backend, scene, layout);
        expect_equal_to_owned<float>(*backend, scene, layout);
      }
    }
  expect_equal_to_owned<float>(*backend, Scene(33, 65, 100), {true, 0});
}

TEST(CudaPool, SearchesInABorrowedPoolAreThoseInAnOwnedOne) {
  const auto backend = cuda();
  Scene scene(40, 300, 6);
  std::vector<double> values = oracle::flat(scene.candidates);
  const DeviceArray<double> memory(values);
  const auto borrowed = backend->borrow_candidates({memory.data(), false, 300, 6, 6, 1});
  const auto owned = backend->make_candidates(Rows(scene.candidates).view());
  std::vector<std::vector<std::size_t>> picks(2);
  for (const std::size_t which : {0, 1}) {
    CandidateSet& set = which == 0 ? *borrowed : *owned;
    const auto factor = fixture::factor(*backend, scene.gp, scene.x, scene.y);
    GpFactor* const factors[] = {factor.get()};
    SearchSetup setup;
    setup.factors = factors;
    setup.fantasies = 2;
    const auto search = backend->make_search(set, setup);
    std::vector<double> incumbents = {-1.4};
    for (int pick = 0; pick < 3; ++pick) {
      SearchRequest request;
      request.incumbents = incumbents;
      const std::size_t index = search->top(request, 1).at(0).index;
      picks[which].push_back(index);
      search->fantasise(scene.candidates[index], std::vector<double>{0.3, -0.8});
      set.exclude(index);
      incumbents.assign(2, -1.4);
    }
  }
  EXPECT_EQ(picks[0], picks[1]);
}

TEST(CudaPool, MemoryThatDoesNotFitIsRefused) {
  const auto backend = cuda();
  std::vector<double> values(60, 0.5);
  const DeviceArray<double> memory(values);
  const DeviceMatrix good{memory.data(), false, 10, 6, 6, 1};
  EXPECT_EQ(backend->borrow_candidates(good)->size(), 10u);
  const auto refused = [&](DeviceMatrix pool) {
    EXPECT_THROW(backend->borrow_candidates(pool), carbo::InvalidArray);
  };
  DeviceMatrix pool = good;
  pool.data = nullptr;
  refused(pool);
  pool.data = values.data();  // the host's
  refused(pool);
  pool.data = reinterpret_cast<const char*>(memory.data()) + 4;  // misaligned
  pool.rows = 5;
  refused(pool);
  pool = good;
  pool.rows = 0;
  refused(pool);
  pool = good;
  pool.columns = 0;
  refused(pool);
  pool = good;
  pool.row_stride = 5;  // rows overlap
  refused(pool);
  pool = good;
  pool.column_stride = 0;
  refused(pool);
  pool = good;
  pool.rows = std::size_t{1} << 62;  // its size overflows
  refused(pool);
}

TEST(CudaPool, MemoryOfAnotherDeviceIsRefused) {
  if (carbo::test::device_count() < 2) GTEST_SKIP() << "two devices are needed";
  CudaOptions options;
  options.device = 0;
  const auto backend = cuda(options);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  {
    const DeviceArray<double> memory(std::vector<double>(12, 0.5));
    EXPECT_THROW(backend->borrow_candidates({memory.data(), false, 6, 2, 2, 1}), carbo::InvalidArray);
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 1);
  }
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST(CudaPool, ValuesThatAreNotFiniteAreRefused) {
  const auto backend = cuda();
  for (const double bad : {not_a_number, infinity, -infinity}) {
    std::vector<double> values(600, 0.5);
    values[599] = bad;
    const DeviceArray<double> memory(values);
    EXPECT_THROW(backend->borrow_candidates({memory.data(), false, 100, 6, 6, 1}), carbo::InvalidArray);
    // Between the rows anything may stand.
    EXPECT_EQ(backend->borrow_candidates({memory.data(), false, 100, 5, 6, 1})->size(), 100u);
    std::vector<float> singles(600, 0.5f);
    singles[301] = static_cast<float>(bad);
    const DeviceArray<float> single(singles);
    EXPECT_THROW(backend->borrow_candidates({single.data(), true, 100, 6, 6, 1}), carbo::InvalidArray);
  }
}

}  // namespace
}  // namespace cuda_pair
