#include <gtest/gtest.h>

#include <carbo/carbo.hpp>

#include "support/cuda_counters.hpp"
#include "support/cuda_pair.hpp"
#include "support/environment.hpp"

// What a batch costs besides arithmetic, in quantities that do not depend on the machine.
namespace {

using namespace cuda_counters;

class CudaCounters : public testing::TestWithParam<bool> {};

/// Points, masks and incumbents stay on the device, and the host reads all picks at once.
TEST_P(CudaCounters, ABatchKeepsWithinItsLimits) {
  Sizes sizes;
  sizes.batched = GetParam();
  sizes.candidates = sizes.batched ? 600 : 1500;  // ten factors take ten times as long
  sizes.batch = sizes.batched ? 12 : 64;
  const auto backend = cuda_pair::cuda();
  measure(*backend, sizes);  // what is kept for reuse is made here
  const Measured measured = measure(*backend, sizes);
  const auto picks = static_cast<double>(sizes.batch);
  EXPECT_EQ(measured.picks, sizes.batch);
  EXPECT_LE(measured.batch.bytes_to_host, 160 * picks);
  // Tables, and the fantasised points' normals: no more than 64 bytes an entry of the rows a pick.
  EXPECT_LE(measured.batch.bytes_to_device,
            64 * picks * static_cast<double>((sizes.observations + sizes.batch) * sizes.columns));
  EXPECT_LE(measured.batch.synchronisations, 2);
  EXPECT_EQ(measured.batch.allocations, 0);
  EXPECT_GT(measured.batch.launches, picks);
}

INSTANTIATE_TEST_SUITE_P(Modes, CudaCounters, testing::Bool(), [](const auto& info) {
  return info.param ? std::string("Batched") : std::string("Shared");
});

/// A search that lives for one pick, under two acquisitions, of factors that have fantasised points.
TEST(CudaCounters, ATileOfAStreamWaitsOnce) {
  const Sizes sizes{.observations = 40, .candidates = 600, .columns = 3, .fantasies = 4};
  const Problem problem(sizes);
  const auto backend = cuda_pair::cuda();
  const auto set = backend->make_candidates(problem.candidates());
  const auto factors = backend->factor(problem.points(), problem.targets(), problem.parameters());
  const std::vector<double> normals = {0.3, -0.8, 1.2, 0.1};
  const std::vector<double> incumbents = factors.front()->fantasise(problem.candidates().row(5), normals);
  const auto cost = backend->make_field(problem.log_costs(), {});
  GpFactor* const factor = factors.front().get();
  const Counts before = Counts::now();
  SearchSetup setup;
  setup.factors = {&factor, 1};
  setup.fantasies = sizes.fantasies;
  setup.log_cost = cost.get();
  const auto search = backend->make_search(*set, setup);
  SearchRequest request;
  request.incumbents = incumbents;
  request.acquisition.parameter = 0.5;
  Scored beside;
  EXPECT_EQ(search->top_with(request, 2, {carbo::Acquisition::ei_per_cost}, beside).size(), 2u);
  EXPECT_NE(beside.index, Scored::none);
  EXPECT_EQ((Counts::now() - before).synchronisations, 1);
}

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
