#include <gtest/gtest.h>

#include <ostream>

#include "bench/support/problem.hpp"
#include "bench/support/scene.hpp"
#include "support/environment.hpp"

// How many candidates a batch brings up to date with its fantasised points, against the CPU's search on the same
// data.
namespace carbo::bench {
namespace {

struct RefreshSizes {
  std::size_t n, m, d, b;
  DataSet data = DataSet::late;
};

void PrintTo(const RefreshSizes& s, std::ostream* out) {
  *out << name_of(s.data) << ", n " << s.n << ", m " << s.m << ", d " << s.d << ", b " << s.b;
}

Picks batch_on(BackendKind kind, const Problem& problem, std::size_t picks) {
  BackendOptions options;
  options.kind = kind;
  options.threads = 1;  // the CPU's chunks grow with its threads
  return Scene(problem, {.backend = options}).batch(picks);
}

class CudaRefreshes : public testing::TestWithParam<RefreshSizes> {};

TEST_P(CudaRefreshes, AreAtMostAThirdAboveTheCpus) {
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  const auto [n, m, d, b, data] = GetParam();
  const Problem problem(data, n, m, d);
  const Picks cpu = batch_on(BackendKind::cpu, problem, b), cuda = batch_on(BackendKind::cuda, problem, b);
  ASSERT_EQ(cpu.picked.size(), b);
  ASSERT_EQ(cuda.picked.size(), b);
  for (std::size_t i = 0; i < b; ++i) EXPECT_EQ(cuda.picked[i].index, cpu.picked[i].index) << "pick " << i;
  RecordProperty("cpu", static_cast<int>(cpu.work.refreshed));
  RecordProperty("cuda", static_cast<int>(cuda.work.refreshed));
  EXPECT_GT(cuda.work.refreshed, 0u);
  EXPECT_LE(static_cast<double>(cuda.work.refreshed), 1.3 * static_cast<double>(cpu.work.refreshed))
      << cuda.work.refreshed << " against " << cpu.work.refreshed << "; finished " << cuda.work.finished
      << " against " << cpu.work.finished;
}

// Above 768 rows variances are tightened twice before candidates are brought up to date, above 384 once. Of 4,096
// candidates and 2²¹ correlations both look at means in low precision first; with large noise the CPU bounds what
// candidates respond, too.
INSTANTIATE_TEST_SUITE_P(Sizes, CudaRefreshes,
                         testing::Values(RefreshSizes{300, 4000, 6, 8}, RefreshSizes{400, 4000, 6, 6},
                                         RefreshSizes{800, 3000, 6, 4}, RefreshSizes{450, 5000, 6, 4},
                                         RefreshSizes{300, 4000, 6, 4, DataSet::noisy},
                                         RefreshSizes{450, 5000, 6, 4, DataSet::noisy}));

}  // namespace
}  // namespace carbo::bench
