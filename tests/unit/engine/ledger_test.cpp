#include "engine/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

namespace carbo::internal {
namespace {

using Ids = std::vector<std::uint64_t>;

Ledger make(Accounting accounting, Execution execution, std::size_t slots) {
  return Ledger(accounting, execution, slots, 1.0, [] { return 0.0; });
}

TEST(Ledger, SumAddsEveryCost) {
  Ledger ledger = make(Accounting::sum, Execution::synchronous, 2);
  ledger.start(Ids{0, 1});
  ledger.finish(0, 3);
  ledger.finish(1, 5);
  ledger.add_unsuggested(2);
  EXPECT_EQ(ledger.spent(), 10.0);
}

TEST(Ledger, LongestCountsTheLongestOfEachBatch) {
  Ledger ledger = make(Accounting::longest, Execution::synchronous, 3);
  ledger.start(Ids{0, 1, 2});
  ledger.start(Ids{3});
  ledger.finish(0, 3);
  ledger.finish(1, 7);
  ledger.finish(3, 2);
  EXPECT_EQ(ledger.spent(), 9.0);
  ledger.finish(2, 8);
  EXPECT_EQ(ledger.spent(), 10.0);
}

TEST(Ledger, AsynchronousTimeIsTheMakespanOfTheSlots) {
  Ledger ledger = make(Accounting::longest, Execution::asynchronous, 2);
  ledger.start(Ids{0, 1});
  ledger.finish(0, 1);
  ledger.start(Ids{2});  // slot 0 is free, slot 1 still runs
  ledger.finish(2, 4);
  EXPECT_EQ(ledger.spent(), 5.0);
  ledger.finish(1, 6);
  EXPECT_EQ(ledger.spent(), 6.0);
  ledger.start(Ids{3});  // slot 0 became free first
  ledger.finish(3, 3);
  EXPECT_EQ(ledger.spent(), 8.0);
}

TEST(Ledger, CommittedIsWhatRunningPointsWillAdd) {
  Ledger sum = make(Accounting::sum, Execution::synchronous, 2);
  sum.start(Ids{0, 1});
  sum.finish(0, 3);
  EXPECT_EQ(sum.committed({{1, 2.5}}), 2.5);

  Ledger longest = make(Accounting::longest, Execution::synchronous, 2);
  longest.start(Ids{0, 1});
  longest.finish(0, 3);
  EXPECT_EQ(longest.committed({{1, 2.5}}), 0.0);
  EXPECT_EQ(longest.committed({{1, 4.0}}), 1.0);
}

TEST(Ledger, OrderOfFinishingDoesNotMatter) {
  const std::array<double, 5> costs{0.1, 0.2, 0.3, 0.7, 1e-9};
  for (const Accounting accounting : {Accounting::sum, Accounting::longest}) {
    Ledger forward = make(accounting, Execution::synchronous, 5);
    Ledger backward = make(accounting, Execution::synchronous, 5);
    forward.start(Ids{0, 1, 2, 3, 4});
    backward.start(Ids{0, 1, 2, 3, 4});
    for (std::uint64_t id = 0; id < 5; ++id) {
      forward.finish(id, costs[id]);
      backward.finish(4 - id, costs[4 - id]);
      forward.add_unsuggested(costs[id]);
      backward.add_unsuggested(costs[4 - id]);
    }
    EXPECT_EQ(forward.spent(), backward.spent());
  }
}

TEST(Ledger, RoomIsWhatTheNextEvaluationMayCost) {
  Ledger sum = make(Accounting::sum, Execution::synchronous, 2);
  sum.start(Ids{0, 1});
  sum.finish(0, 30);
  EXPECT_EQ(sum.room(100, {{1, 20.0}}, 0), 50.0);

  Ledger slots = make(Accounting::longest, Execution::asynchronous, 2);
  slots.start(Ids{0, 1});
  slots.finish(1, 20);
  EXPECT_EQ(slots.room(100, {{0, 90.0}}, 0), 80.0) << "slot 1 is free, whatever slot 0 does";
  EXPECT_EQ(slots.room(100, {{0, 90.0}}, 1), 10.0);

  double now = 0;
  Ledger clock(Accounting::wall_clock, Execution::asynchronous, 2, 1.0, [&now] { return now; });
  clock.open();
  now = 40;
  clock.start(Ids{0});
  EXPECT_EQ(clock.room(100, {{0, 50.0}}, 0), 60.0);
}

/// Rounds with queues, kept as plain lists: which round and slot each evaluation has, and what it cost so far.
struct Rounds {
  struct One {
    std::uint64_t batch = 0;
    std::size_t slot = 0;
    double cost = 0;
  };
  std::map<std::uint64_t, One> all;
  std::vector<One> told;

  double total(const std::map<std::uint64_t, double>& predicted = {}) const {
    std::map<std::uint64_t, std::map<std::size_t, double>> times;
    for (const One& one : told) times[one.batch][one.slot] += one.cost;
    for (const auto& [id, one] : all) {
      const auto guess = predicted.find(id);
      times[one.batch][one.slot] += guess == predicted.end() ? one.cost : guess->second;
    }
    double sum = 0;
    for (const auto& [batch, slots] : times) {
      double busiest = 0;
      for (const auto& [slot, time] : slots) busiest = std::max(busiest, time);
      sum += busiest;
    }
    return sum;
  }
};

TEST(Ledger, ARoundCostsItsBusiestSlot) {
  std::mt19937_64 random(11);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  for (int study = 0; study < 200; ++study) {
    Ledger ledger = make(Accounting::longest, Execution::synchronous, 1 + below(4));
    Ledger back = make(Accounting::longest, Execution::synchronous, 3);
    Rounds rounds;
    std::vector<std::uint64_t> running;
    std::uint64_t next = 0, batch = 0;
    for (int step = 0; step < 40; ++step) {
      const std::size_t roll = below(10);
      if (roll < 3) {
        Ids ids;
        std::vector<std::size_t> slots;
        for (std::size_t i = 0, count = 1 + below(9); i < count; ++i) {
          ids.push_back(next++);
          slots.push_back(below(6));
          rounds.all[ids.back()] = {batch, slots.back()};
          running.push_back(ids.back());
        }
        ledger.start(ids, slots);
        ++batch;
      } else if (roll < 4 && batch > 0) {  // of an earlier part, or of a round of this one
        const Rounds::One told{below(batch), below(8), 0.5 + static_cast<double>(below(100))};
        ledger.add_unsuggested(told.cost, {told.batch, told.slot});
        rounds.told.push_back(told);
      } else if (!running.empty()) {
        const std::size_t i = below(running.size());
        const std::uint64_t id = running[i];
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        if (roll == 9) {
          ledger.withdraw(id);
          rounds.all.erase(id);
        } else {
          rounds.all[id].cost = static_cast<double>(below(1000)) / 8;
          ledger.finish(id, rounds.all[id].cost);
        }
      }
      std::map<std::uint64_t, double> predicted;
      for (const std::uint64_t id : running) predicted[id] = static_cast<double>(below(1000)) / 8;
      // Sums of multiples of 1/8 are exact.
      ASSERT_EQ(ledger.spent(), rounds.total());
      ASSERT_EQ(ledger.committed(predicted), rounds.total(predicted) - rounds.total());
      ASSERT_EQ(ledger.room(1e6, predicted, 0), 1e6 - rounds.total(predicted));
    }
    for (const auto& [id, one] : rounds.all) back.add_unsuggested(one.cost, {one.batch, one.slot});
    for (const auto& one : rounds.told) back.add_unsuggested(one.cost, {one.batch, one.slot});
    EXPECT_EQ(back.spent(), ledger.spent()) << "told back";
  }
}

TEST(Ledger, TheClockOfARoundRunsToTheEndOfItsQueues) {
  double now = 0;
  Ledger ledger(Accounting::wall_clock, Execution::synchronous, 2, 1.0, [&now] { return now; });
  ledger.start(Ids{0, 1, 2}, std::vector<std::size_t>{0, 1, 1});
  EXPECT_EQ(ledger.committed({{0, 4.0}, {1, 3.0}, {2, 2.0}}), 5.0);
  now = 2.5;
  ledger.finish(1, 2.5);
  EXPECT_EQ(ledger.committed({{0, 4.0}, {2, 2.0}}), 2.0);
}

TEST(Ledger, WithdrawnPointsCostNothing) {
  Ledger ledger = make(Accounting::sum, Execution::synchronous, 1);
  ledger.start(Ids{0, 1});
  ledger.finish(0, 3);
  ledger.withdraw(1);
  EXPECT_EQ(ledger.spent(), 3.0);
  EXPECT_EQ(ledger.committed({}), 0.0);
}

TEST(Ledger, WallClockCountsElapsedTimeInItsUnit) {
  double now = 100;
  Ledger ledger(Accounting::wall_clock, Execution::synchronous, 1, 60.0, [&now] { return now; });
  EXPECT_EQ(ledger.spent(), 0.0);
  now = 500;  // nothing counts before it is opened
  ledger.open();
  EXPECT_EQ(ledger.spent(), 0.0);
  now = 560;
  ledger.start(Ids{0});
  EXPECT_EQ(ledger.spent(), 1.0) << "choosing the first point counts";
  now = 680;
  EXPECT_EQ(ledger.spent(), 3.0);
  EXPECT_EQ(ledger.committed({{0, 5.0}}), 3.0);
  EXPECT_EQ(ledger.committed({{0, 1.0}}), 0.0);
}

}  // namespace
}  // namespace carbo::internal
