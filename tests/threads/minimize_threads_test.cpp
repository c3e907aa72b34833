#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <carbo/carbo.hpp>

// Runs whose evaluations, engine and callbacks are in many threads at once: for the thread sanitizer.
namespace carbo {
namespace {

Options small_options(Execution execution) {
  Options options{.budget = 1000.0, .batch_size = 4, .seed = 6, .execution = execution};
  options.max_evaluations = 20;
  options.candidates.count = 200;
  options.surrogate.restarts = 2;
  options.cost.surrogate.restarts = 1;
  options.cost.unit = "credits";
  options.fantasies.count = 3;
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = 3;
  return options;
}

Space square() { return Space{real("x", 0.0, 1.0), real("y", 0.0, 1.0)}; }

Evaluation evaluate(const Configuration& x) { return {std::sin(5 * x.real("x")) + x.real("y"), 1.0 + x.real("x")}; }

class MinimizeThreads : public testing::TestWithParam<Execution> {};

TEST_P(MinimizeThreads, WorkersThatFailNowAndThen) {
  std::atomic<int> calls = 0;
  std::size_t reports = 0;
  Hooks hooks;
  hooks.progress = [&](const Progress& progress) { reports += progress.running <= 4 ? 1 : 0; };
  const Objective objective = [&](const Configuration& x) {
    if (calls++ % 4 == 3) throw std::runtime_error("every fourth evaluation fails, with a reason of some length");
    return evaluate(x);
  };
  const Result result = minimize(square(), small_options(GetParam()), objective, hooks);
  EXPECT_EQ(result.stop_reason, StopReason::evaluations);
  EXPECT_EQ(result.observations.size(), 20u);
  EXPECT_EQ(calls, 20);
  EXPECT_GE(reports, 20u);
  std::set<std::uint64_t> ids;
  for (const Observation& seen : result.observations) ids.insert(*seen.id);
  EXPECT_EQ(ids.size(), 20u);
}

TEST_P(MinimizeThreads, AStopFromAnotherThread) {
  std::stop_source stop;
  Hooks hooks;
  hooks.stop = stop.get_token();
  std::atomic<int> calls = 0;
  const CancellableObjective objective = [&](const Configuration& x, const EvaluationContext& context) {
    if (++calls == 6) stop.request_stop();
    return context.stop_requested() ? Evaluation{2.0, 1.0} : evaluate(x);
  };
  const Result result = minimize(square(), small_options(GetParam()), objective, hooks);
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  EXPECT_EQ(static_cast<int>(result.observations.size()), calls);
}

TEST_P(MinimizeThreads, SeveralRunsAtOnce) {
  std::array<Result, 3> results;
  std::vector<std::thread> threads;
  for (Result& result : results)
    threads.emplace_back([&] { result = minimize(square(), small_options(GetParam()), Objective(evaluate)); });
  for (std::thread& thread : threads) thread.join();
  for (const Result& result : results) EXPECT_EQ(result.observations.size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(Both, MinimizeThreads, testing::Values(Execution::synchronous, Execution::asynchronous),
                         [](const auto& one) {
                           return one.param == Execution::synchronous ? "Synchronous" : "Asynchronous";
                         });

}  // namespace
}  // namespace carbo
