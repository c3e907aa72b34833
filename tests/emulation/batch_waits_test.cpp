#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <carbo/carbo.hpp>
#include <carbo/cuda.hpp>

#include "support/cuda_counters.hpp"
#include "support/cuda_pair.hpp"
#include "support/environment.hpp"
#include "support/selector_scene.hpp"
#include "support/toy_problems.hpp"

// How often batches wait for the device: picked in one sequence or step by step, of a selector and of an optimizer.
namespace {

using cuda_counters::Counts;

/// Of a call.
template <class Call>
Counts counted(const Call& call) {
  const Counts before = Counts::now();
  call();
  return Counts::now() - before;
}

/// The limit follows the picks, and the log cost of each comes with it.
TEST(CudaBatchWaits, StepsOfAStrictRoundWaitTwiceEachTheLastOnce) {
  const cuda_counters::Sizes sizes{.observations = 40, .candidates = 600, .columns = 3, .batch = 5, .fantasies = 4};
  const auto backend = cuda_pair::cuda();
  const auto strict = [&](carbo::internal::BatchRequest& request) {
    request.limit.of_next = [] { return std::numeric_limits<double>::infinity(); };
    request.together = request.count;
  };
  cuda_counters::measure(*backend, sizes, strict);  // what is kept for reuse is made here
  const cuda_counters::Measured measured = cuda_counters::measure(*backend, sizes, strict);
  EXPECT_EQ(measured.picks, sizes.batch);
  EXPECT_EQ(measured.batch.synchronisations, 2 * static_cast<double>(sizes.batch) - 1);
  EXPECT_EQ(measured.batch.allocations, 0);
}

class CudaSelectorBatch : public testing::TestWithParam<std::size_t> {};

TEST_P(CudaSelectorBatch, WaitsAtMostTwiceAndAllocatesNothingInSteadyState) {
  using namespace carbo;
  const test::SelectorScene scene;
  Selector selector = cuda::make_selector(test::on_device(), {});
  selector.set_pool({scene.rows()});
  selector.append(scene.observations());
  selector.fit();
  if (const std::size_t running = GetParam(); running > 0) test::suggest(selector, {.count = running});
  const auto batch = [&] {
    const test::Picked picked = test::suggest(selector, {.count = 16});
    EXPECT_EQ(picked.rows.size(), 16u);
    selector.withdraw(host_indices(picked.rows.data(), picked.rows.size()));
  };
  batch();  // what is kept for reuse is made here,
  batch();  // and where rows are given back
  const Counts counts = counted(batch);
  EXPECT_LE(counts.synchronisations, 2);
  EXPECT_EQ(counts.allocations, 0);
}

INSTANTIATE_TEST_SUITE_P(Running, CudaSelectorBatch, testing::Values(0, 3));

/// Of a study whose evaluations run while it is asked for more; predictions of what is suggested are apart.
TEST(CudaBatchWaits, ABatchOfAnOptimizerBesideRunningPoints) {
  using namespace carbo;
  const EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  Options options = test::small_options(1e6);
  options.initial_design = InitialDesign::uniform;
  options.design.warm_start = 5;
  options.candidates.local_share = 0;
  options.fantasies.count = 3;
  options.surrogate.restarts = options.cost.surrogate.restarts = 2;
  options.backend.kind = BackendKind::cuda;
  options.cost.model = CostModelKind::log_gp;
  Optimizer optimizer(test::valley_space(), options);
  for (const Suggestion& one : optimizer.ask(5)) optimizer.tell(one.id, test::valley(one.configuration));
  optimizer.ask(2);
  constexpr double predictions = 3;  // costs of what runs; by both models of what is suggested
  for (const std::size_t batch : {1, 16}) {
    const Counts counts = counted([&] { EXPECT_EQ(optimizer.ask(batch).size(), batch); });
    EXPECT_LE(counts.synchronisations, 2 + predictions) << batch;
  }
}

}  // namespace
