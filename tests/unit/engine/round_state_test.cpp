#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// Rounds that are saved, and rounds that begin with what the caller enqueued.
namespace carbo {
namespace {

using namespace test;

Options in_rounds(Batches batches, double budget, std::size_t workers) {
  Options options = small_options(budget);
  options.batches = batches;
  options.batch_size = workers;
  return options;
}

std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

void expect_same_round(const std::vector<Suggestion>& found, const std::vector<Suggestion>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].id, expected[i].id);
    EXPECT_EQ(found[i].configuration, expected[i].configuration);
    EXPECT_EQ(found[i].slot, expected[i].slot);
    EXPECT_EQ(found[i].order, expected[i].order);
    EXPECT_EQ(found[i].receipt.round_length, expected[i].receipt.round_length);
  }
}

TEST(RoundState, GoesOnFromTheMiddleOfARound) {
  std::size_t behind = 0;
  for (const Batches batches : {Batches::fill, Batches::top_up}) {
    Optimizer straight(valley_space(), in_rounds(batches, sanitized ? 30 : 60, 3));
    while (!straight.done()) {
      const std::vector<Suggestion> round = straight.ask();
      if (round.empty()) break;
      Optimizer resumed = Optimizer::restore(straight.save());
      EXPECT_EQ(resumed.options().batches, batches);
      expect_same_round(resumed.pending_suggestions(), round);
      expect_same_round(straight.pending_suggestions(), round);
      for (const Suggestion& one : round) {
        behind += one.order > 0 ? 1 : 0;
        straight.tell(one.id, valley(one.configuration));
        resumed.tell(one.id, valley(one.configuration));
        EXPECT_EQ(resumed.spent(), straight.spent());
        EXPECT_EQ(to_json(suggestion_from_json(straight.space(), to_json(one))), to_json(one));
      }
      Optimizer next = Optimizer::restore(straight.save());
      expect_same_round(next.ask(2), resumed.ask(2));
    }
  }
  EXPECT_GT(behind, 0u);
}

TEST(RoundState, HoldsWhatWasToldOfAWorker) {
  Optimizer straight(valley_space(), in_rounds(Batches::fill, 60, 2));
  const auto told = [&](double at, double cost, std::size_t slot) {
    Observation seen;
    seen.configuration = valley_space().configuration({{"x", at}, {"y", at}});
    seen.objective = at;
    seen.cost = cost;
    seen.batch = 0;
    seen.slot = slot;
    return seen;
  };
  straight.tell(told(0.1, 1, 0));
  straight.tell(told(0.2, 2.5, 1));
  Optimizer resumed = Optimizer::restore(straight.save());
  EXPECT_EQ(resumed.spent(), 2.5);
  for (Optimizer* const one : {&straight, &resumed}) {
    one->tell(told(0.3, 2, 0));
    EXPECT_EQ(one->spent(), 3.0) << "1 and then 2 on the first worker";
  }
  EXPECT_EQ(resumed.save(), straight.save());
  const std::string twice = edited(straight.save(), R"("slot": 1, "cost": 2.5)", R"("slot": 0, "cost": 2.5)");
  expect_error<InvalidState>([&] { Optimizer::restore(twice); }, {"/ledger/told_queues/1", "twice"});
}

TEST(RoundState, OfAnAskForMoreWorkersThanUsual) {
  Optimizer straight(valley_space(), in_rounds(Batches::fixed, 100, 2));
  const std::vector<Suggestion> five = straight.ask(5);
  Optimizer resumed = Optimizer::restore(straight.save());
  expect_same_round(resumed.pending_suggestions(), five);
  for (std::size_t i = 0; i < 5; ++i) resumed.tell(five[i].id, {1.0, 2.0 + static_cast<double>(i)});
  EXPECT_EQ(resumed.spent(), 6.0) << "all five at once";
}

TEST(RoundState, SlotsThatCannotBe) {
  Options options = in_rounds(Batches::fixed, 100, 2);
  Optimizer synchronous(valley_space(), options);
  synchronous.ask(2);
  const std::string of_batch = synchronous.save();
  const auto refused = [](const std::string& state, const std::vector<std::string>& parts) {
    expect_error<InvalidState>([&] { Optimizer::restore(state); }, parts);
  };
  refused(edited(of_batch, R"("slot": 1)", R"("slot": 4096)"), {"/ledger", "slot of id 1", "below 4096"});
  refused(edited(of_batch, R"("batches": "fixed")", R"("batches": "loose")"), {"/options/batches", "top_up"});
  options.execution = Execution::asynchronous;
  Optimizer asynchronous(valley_space(), options);
  asynchronous.ask(2);
  refused(edited(asynchronous.save(), R"("slot": 1)", R"("slot": 2)"), {"/ledger", "slot of id 1", "below 2"});
  const std::string without = edited(of_batch, R"("batches": "fixed")", R"("strict": false)");
  EXPECT_EQ(Optimizer::restore(edited(without, R"("strict": false,)", "")).options().batches, Batches::fixed);
}

TEST(RoundQueue, WhatIsEnqueuedHasAWorkerOfItsOwnAndNeedNotFit) {
  Options options = in_rounds(Batches::fill, 500, 3);
  options.cost.known = [](const Configuration& x) { return valley(x).cost; };
  options.initial_design = InitialDesign::uniform;
  Optimizer optimizer(valley_space(), options);
  while (optimizer.phase() != Phase::search)
    for (const Suggestion& one : optimizer.ask()) optimizer.tell(one.id, valley(one.configuration));
  std::vector<Configuration> wanted;
  for (const double at : {0.2, 0.95, 0.1, 0.9}) {
    wanted.push_back(valley_space().configuration({{"x", at}, {"y", at}}));
    optimizer.enqueue(wanted.back());
  }
  const std::vector<Suggestion> round = optimizer.ask();
  ASSERT_GT(round.size(), 3u) << "what fits behind the short ones";
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(round[i].configuration, wanted[i]);
    EXPECT_TRUE(round[i].receipt.enqueued);
    EXPECT_EQ(round[i].slot, i);
    EXPECT_EQ(round[i].order, 0u);
  }
  for (std::size_t i = 3; i < round.size(); ++i) {
    EXPECT_FALSE(round[i].receipt.enqueued);
    EXPECT_GT(round[i].order, 0u);
    EXPECT_NEAR(*round[i].receipt.round_length, valley(wanted[1]).cost, 1e-9);
  }
  EXPECT_EQ(optimizer.enqueued(), std::vector<Configuration>{wanted[3]});
}

TEST(RoundQueue, WhatFillsARoundIsNotAskedForItsPrice) {
  Options options = in_rounds(Batches::fill, 500, 2);
  options.stopping.price = 1e-9;
  Optimizer optimizer(valley_space(), options);
  while (!optimizer.done())
    for (const Suggestion& one : optimizer.ask()) optimizer.tell(one.id, valley(one.configuration));
  ASSERT_EQ(optimizer.stop_reason(), StopReason::price);
  optimizer.enqueue(valley_space().configuration({{"x", 0.95}, {"y", 0.95}}));
  const std::vector<Suggestion> round = optimizer.ask();
  ASSERT_GT(round.size(), 1u);
  for (std::size_t i = 1; i < round.size(); ++i) {
    EXPECT_EQ(round[i].receipt.phase, Phase::search);
    EXPECT_FALSE(round[i].receipt.would_stop);
    EXPECT_FALSE(round[i].receipt.break_even_price);
  }
  for (const Suggestion& one : round) optimizer.tell(one.id, valley(one.configuration));
  EXPECT_TRUE(optimizer.ask().empty());
  EXPECT_EQ(optimizer.stop_reason(), StopReason::price);
}

}  // namespace
}  // namespace carbo
