#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"

// One call at a time, and none on an optimizer that was moved from: typed errors, and nothing is disturbed.
namespace carbo {
namespace {

Space line() { return Space{real("x", 0.0, 1.0)}; }

Options call_options() {
  Options options{.budget = 100.0, .seed = 4};
  options.candidates.count = 64;
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = 1;
  return options;
}

/// Every call of `optimizer` must throw `Expected`.
template <class Expected>
void expect_refused_calls(Optimizer& optimizer, const std::vector<std::string>& parts) {
  const Configuration somewhere = line().configuration(std::vector<double>{0.5});
  expect_error<Expected>([&] { optimizer.ask(); }, parts);
  expect_error<Expected>([&] { optimizer.ask(2); }, parts);
  expect_error<Expected>([&] { optimizer.rank(2); }, parts);
  expect_error<Expected>([&] { optimizer.memory_plan(); }, parts);
  expect_error<Expected>([&] { optimizer.adopt(somewhere); }, parts);
  expect_error<Expected>([&] { optimizer.enqueue(somewhere); }, parts);
  expect_error<Expected>([&] { (void)optimizer.enqueued(); }, parts);
  expect_error<Expected>([&] { optimizer.dequeue(somewhere); }, parts);
  expect_error<Expected>([&] { optimizer.predict({&somewhere, 1}); }, parts);
  expect_error<Expected>([&] { optimizer.recommend(); }, parts);
  expect_error<Expected>([&] { optimizer.importance(); }, parts);
  expect_error<Expected>([&] { optimizer.hyperparameters(); }, parts);
  expect_error<Expected>([&] { optimizer.tell(0, {1.0, 1.0}); }, parts);
  expect_error<Expected>([&] { optimizer.tell(somewhere, {1.0, 1.0}); }, parts);
  expect_error<Expected>([&] { optimizer.fail(0, 1.0, "reason"); }, parts);
  expect_error<Expected>([&] { optimizer.fail(somewhere, 1.0, "reason"); }, parts);
  expect_error<Expected>([&] { optimizer.withdraw(0); }, parts);
  expect_error<Expected>([&] { (void)optimizer.pending(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.observations(); }, parts);
  expect_error<Expected>([&] { (void)std::move(optimizer).observations(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.best(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.spent(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.accounting(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.phase(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.done(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.space(); }, parts);
  expect_error<Expected>([&] { (void)optimizer.options(); }, parts);
}

TEST(OptimizerCalls, AnOptimizerThatWasMovedFrom) {
  Optimizer source(line(), call_options());
  const std::uint64_t id = source.ask(1).front().id;
  Optimizer taken = std::move(source);
  expect_refused_calls<InvalidOptions>(source, {"optimizer was moved from"});
  taken.tell(id, {1.0, 2.0});
  EXPECT_EQ(taken.observations().size(), 1u);
  source = std::move(taken);
  EXPECT_EQ(source.spent(), 2.0);
}

TEST(OptimizerCalls, ObservationsThatAreMovedOut) {
  Optimizer optimizer(line(), call_options());
  for (const Suggestion& suggestion : optimizer.ask(3)) optimizer.tell(suggestion.id, {1.0, 2.0});
  const Observation* const first = optimizer.observations().data();
  const std::vector<Observation> taken = std::move(optimizer).observations();
  EXPECT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken.data(), first) << "they were copied";
  expect_refused_calls<InvalidOptions>(optimizer, {"moved from"});
}

/// A cost function that waits inside a call until it is let go.
TEST(OptimizerCalls, ACallWhileAnotherRuns) {
  std::promise<void> entered, let_go;
  bool waits = false;
  Options options = call_options();
  options.cost.known = [&](const Configuration& x) {
    if (std::exchange(waits, false)) {
      entered.set_value();
      let_go.get_future().wait();
    }
    return 1.0 + x.real("x");
  };
  Optimizer optimizer(line(), options);
  waits = true;
  std::thread other([&] { EXPECT_EQ(optimizer.ask(2).size(), 2u); });
  entered.get_future().wait();
  expect_refused_calls<ConcurrentCall>(optimizer, {"this optimizer has not returned", "one thread at a time"});
  let_go.set_value();
  other.join();
  EXPECT_EQ(optimizer.pending(), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_TRUE(optimizer.observations().empty());
}

/// Whoever is refused tries again: all of them get through, and every suggestion has one result.
TEST(OptimizerCalls, ManyThreadsThatTakeTurns) {
  Options options = call_options();
  options.acquisition = Acquisition::random;
  Optimizer optimizer(line(), options);
  const auto insist = [](const auto& call) {
    for (;;) {
      try {
        return call();
      } catch (const ConcurrentCall&) {
        std::this_thread::yield();
      }
    }
  };
  const auto work = [&] {
    for (int i = 0; i < 10; ++i) {
      for (const Suggestion& suggestion : insist([&] { return optimizer.ask(1); }))
        insist([&] { optimizer.tell(suggestion.id, {suggestion.configuration.real("x"), 1.0}); });
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(optimizer.observations().size(), 40u);
  EXPECT_EQ(optimizer.spent(), 40.0);
  EXPECT_TRUE(optimizer.pending().empty());
}

}  // namespace
}  // namespace carbo
