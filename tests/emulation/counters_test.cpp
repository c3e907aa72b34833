#include <gtest/gtest.h>

#include <carbo/carbo.hpp>

#include "support/cuda_counters.hpp"
#include "support/cuda_pair.hpp"
#include "support/environment.hpp"

// What a pick costs besides arithmetic, in quantities that do not depend on the machine.
namespace {

using namespace cuda_counters;

/// State that a pick brings along: the fantasised point, its normals and those to come, incumbents; at most this.
double state_bytes(const Sizes& sizes) {
  return 64.0 * static_cast<double>((sizes.observations + sizes.batch) * sizes.columns);
}

void expect_within_limits(const Counts& counts, const Sizes& sizes) {
  EXPECT_LE(counts.bytes_to_host, 4096);
  EXPECT_LE(counts.bytes_to_device, state_bytes(sizes));
  EXPECT_LE(counts.synchronisations, 2);
  EXPECT_EQ(counts.allocations, 0);
}

class CudaCounters : public testing::TestWithParam<bool> {};

TEST_P(CudaCounters, APickKeepsWithinItsLimits) {
  Sizes sizes;
  sizes.batched = GetParam();
  if (sizes.batched) sizes.candidates = 2000;  // ten factors take ten times as long
  const auto backend = cuda_pair::cuda();
  measure(*backend, sizes);  // what is kept for reuse is made here
  const Measured measured = measure(*backend, sizes);
  {
    SCOPED_TRACE("the first pick of a batch");
    expect_within_limits(measured.first, sizes);
  }
  SCOPED_TRACE("a later pick");
  expect_within_limits(measured.highest, sizes);
  EXPECT_GT(measured.mean.launches, 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, CudaCounters, testing::Bool(), [](const auto& info) {
  return info.param ? std::string("Batched") : std::string("Shared");
});

/// Bytes of a whole batch, asked of the optimizer: what crosses is the picks', besides the new candidates' local
/// share and the models' fits, which are counted apart by asking once more without anything new.
TEST(CudaCounters, AWholeAskStaysInsideItsPlan) {
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  carbo::Options options;
  options.budget = 1e6;
  options.batch_size = 16;
  options.initial_design = carbo::InitialDesign::uniform;
  options.design.warm_start = 5;
  options.candidates.count = 10000;
  options.candidates.local_share = 0;
  options.surrogate.restarts = options.cost.surrogate.restarts = 2;
  options.backend.kind = carbo::BackendKind::cuda;
  const carbo::Space space{carbo::real("a", 0, 1), carbo::real("b", 0, 1), carbo::real("c", 0, 1)};
  const unsigned long long before = emulator_device_bytes();
  emulator_reset_counters();
  carbo::Optimizer optimizer(space, options);
  for (std::size_t i = 0; i < 40; ++i) {
    std::vector<double> x(3);
    for (std::size_t c = 0; c < 3; ++c) x[c] = uniform(5, Draw::uniform_configuration, 3 * i + c);
    optimizer.tell(space.configuration(x), {std::cos(5 * x[0]) + x[1] * x[1] - x[2], 1 + x[0]});
  }
  const auto suggestions = optimizer.ask(16);
  ASSERT_EQ(suggestions.size(), 16u);
  EXPECT_EQ(suggestions[0].receipt.phase, carbo::Phase::search);
  const auto plan = optimizer.memory_plan();
  EXPECT_FALSE(plan.streamed);
  EXPECT_LE(emulator_counter("peak device bytes") - before, plan.total_bytes()) << plan.describe();
  EXPECT_EQ(emulator_counter("default stream operations"), 0u);
}

}  // namespace
