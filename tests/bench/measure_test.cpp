#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "bench/backends/arguments.hpp"
#include "bench/backends/blas.hpp"
#include "bench/backends/limits.hpp"
#include "bench/backends/measure.hpp"
#include "bench/backends/tables.hpp"
#include "bench/backends/workload.hpp"
#include "bench/support/level_loops.hpp"
#include "bench/support/matern_pass.hpp"
#include "bench/support/peak_memory.hpp"
#include "bench/support/problem.hpp"
#include "bench/support/scene.hpp"

namespace {

using namespace carbo::bench;

TEST(BackendBenchMeasure, EveryJobRunsOnTheCpu) {
  const Arguments arguments = parse_arguments(
      {"--n", "12", "--m", "70", "--d", "2,7", "--b", "3", "--fantasies", "2", "--repeats", "1", "--batched"});
  for (const Case& c : cases_of(arguments)) {
    MeasureOptions options{.repeats = 2, .least_seconds = 0};
    options.backend.kind = carbo::BackendKind::cpu;
    options.against_limit = nominal_work(c).limit == Limit::matern;  // the others are slow where they are sanitized
    const Measurement result = measure(c, options);
    EXPECT_EQ(result.seconds.samples, 2u) << label(c);
    EXPECT_GT(result.seconds.lowest, 0) << label(c);
    EXPECT_EQ(result.share.has_value(), options.against_limit) << label(c);
    EXPECT_EQ(result.shares.has_value(), c.job == Job::pick || c.job == Job::batch || c.job == Job::suggest)
        << label(c);
    EXPECT_GT(result.rate(), 0) << label(c);
  }
}

TEST(BackendBenchMeasure, ADesignOfFewCandidatesRunsAsOftenAsAsked) {
  MeasureOptions options{.repeats = 30, .least_seconds = 0, .against_limit = false};
  options.backend.kind = carbo::BackendKind::cpu;
  for (const std::size_t m : {1, 3, 22})
    EXPECT_EQ(measure({Job::design, "", {.m = m, .d = 2}}, options).seconds.samples, 30u) << m;
}

TEST(BackendBenchMeasure, ASuggestionsSharesAreThoseOfItsReceipts) {
  carbo::BackendOptions cpu;
  cpu.kind = carbo::BackendKind::cpu;
  const auto workload = make_workload({Job::suggest, "fitted", {.n = 30, .m = 400, .d = 2, .b = 3}}, cpu);
  workload->prepare();
  workload->run();
  const auto shares = workload->shares();
  ASSERT_TRUE(shares);
  EXPECT_GT(shares->finished, 1.0 / 1200);  // what is picked is finished
  EXPECT_LE(shares->finished, 1);
  EXPECT_GT(shares->refreshed, 0);
  EXPECT_LE(shares->refreshed, 1);
}

TEST(BackendBenchMeasure, APeakThatCannotBeStartedAnewIsNotKnown) {
  EXPECT_FALSE(reset_peak_memory("/proc/self/no such file"));
  const auto file = std::filesystem::temp_directory_path() / "carbo_peak_memory_test";
  EXPECT_TRUE(reset_peak_memory(file.c_str()));
  std::filesystem::remove(file);
}

/// Does nothing, and counts how often.
class CountingProbe final : public LimitProbe {
 public:
  explicit CountingProbe(int& runs) : runs_(runs) {}
  void run() override { ++runs_; }
  double work() const override { return 1; }

 private:
  int& runs_;
};

TEST(BackendBenchMeasure, EveryLimitIsProbedAfterAWarmUp) {
  std::vector<Limit> asked;
  int runs = 0;
  const JobSizes sizes{.n = 3, .m = 5, .d = 2};
  const MachineLimits limits = measure_limits(
      [&](Limit limit, const JobSizes& given) {
        EXPECT_EQ(given, sizes);
        asked.push_back(limit);
        return std::make_unique<CountingProbe>(runs);
      },
      sizes);
  EXPECT_EQ(std::set<Limit>(asked.begin(), asked.end()),
            (std::set<Limit>{Limit::gemm, Limit::memory, Limit::matern, Limit::fma}));
  EXPECT_EQ(runs, 4 * (1 + 5));  // each once to warm up
  EXPECT_GT(std::min({limits.gemm_flops, limits.memory_bytes, limits.matern_entries, limits.fma_flops}), 0);
  EXPECT_EQ(measure_limits([](Limit, const JobSizes&) { return nullptr; }, sizes).fma_flops, 0);
}

TEST(BackendBenchMeasure, AnInstalledBlasMultiplies) {
  const Blas& blas = installed_blas();
  EXPECT_EQ(cpu_gemm_name(), blas.product == nullptr ? "Eigen" : blas.name);
  if (blas.product == nullptr) GTEST_SKIP() << "no OpenBLAS was found";
  EXPECT_EQ(blas.name.rfind("OpenBLAS ", 0), 0u) << blas.name;
  const std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8};  // by columns
  std::vector<double> c(4, -1);
  blas.product(a.data(), b.data(), c.data(), 2);
  EXPECT_EQ(c, (std::vector<double>{1 * 5 + 3 * 6, 2 * 5 + 4 * 6, 1 * 7 + 3 * 8, 2 * 7 + 4 * 8}));
}

TEST(BackendBenchMeasure, MultiplyAddsAreDoneAsOftenAsCounted) {
  const LevelLoops& loops = level_loops();
  const double lanes = static_cast<double>(loops.fma_lanes);
  // Chain i starts at i; x ← x/2 + 1/2 has halved its distance from 1 after each round.
  EXPECT_EQ(loops.fma(0, 0.5), lanes * 5.5);
  EXPECT_EQ(loops.fma(3, 0.5), lanes * (1 + 4.5 / 8));
}

TEST(BackendBenchMeasure, TheCpuIsNeverHeldAgainstADevice) {
  int runs = 0;
  MeasureOptions options{.repeats = 1, .least_seconds = 0};
  options.backend.kind = carbo::BackendKind::cpu;
  options.device_probes = [&](Limit, const JobSizes&) { return std::make_unique<CountingProbe>(runs); };
  EXPECT_TRUE(measure({Job::pick, "", {.n = 5, .m = 20, .d = 2}}, options).share);
  EXPECT_EQ(runs, 0);
}

TEST(BackendBenchScene, PicksAreTheDensePassesInAnyDimension) {
  for (const std::size_t columns : {1, 6, 9}) {
    const Problem problem(DataSet::late, 25, 300, columns);
    ASSERT_EQ(problem.pool.size(), 300 * columns);
    carbo::BackendOptions cpu;
    cpu.kind = carbo::BackendKind::cpu;
    const Scene scene(problem, {.backend = cpu});
    EXPECT_EQ(scene.one_pick().picked.front().index, scene.dense_pick().index) << columns;
  }
}

TEST(BackendBenchScene, MaternPassSumsCorrelationsInAnyDimension) {
  for (const std::size_t columns : {1, 6, 9}) {
    const Problem problem(DataSet::spread, 5, 300, columns);
    const std::vector<double> weights = {1, -2, 0.5, 3, 0.25};
    MaternPass pass(problem.point_rows(), problem.pool_rows(), problem.objective_gp.inverse_lengthscales, weights);
    pass.run();
    for (std::size_t j = 0; j < 300; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        double squared = 0;
        for (std::size_t c = 0; c < columns; ++c)
          squared += std::pow((problem.point_rows().row(i)[c] - problem.pool_rows().row(j)[c]) *
                                  problem.objective_gp.inverse_lengthscales[c],
                              2);
        const double a = std::sqrt(5 * squared);
        sum += weights[i] * (1 + a + a * a / 3) * std::exp(-a);
      }
      // Five terms of at most 3, each within a few units of 1e-16 relative to it.
      EXPECT_NEAR(pass.sums()[j], sum, 1e-14) << columns << " columns, candidate " << j;
    }
  }
}

}  // namespace
