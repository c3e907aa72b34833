#include "engine/round.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/not_finite.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// Rounds whose workers have queues: what they hold, how long they are predicted to last, and what they cost.
namespace carbo {
namespace {

using namespace test;
using internal::Round;
using internal::Seat;

void expect_seat(const Seat& seat, std::size_t slot, std::size_t order) {
  EXPECT_EQ(seat.slot, slot);
  EXPECT_EQ(seat.order, order);
}

TEST(Round, TheFirstPickOfTheSearchIsItsLength) {
  Round round(Batches::fill, {3, 12}, true);
  EXPECT_FALSE(round.length());
  EXPECT_EQ(round.room(Phase::search), infinity);
  expect_seat(round.add(8), 0, 0);
  EXPECT_EQ(round.length(), 8.0);
  EXPECT_EQ(round.room(Phase::search), 8.0);
  expect_seat(round.add(5), 1, 0);
  EXPECT_EQ(round.room(Phase::search), 8.0) << "the third worker has nothing yet";
  expect_seat(round.add(6), 2, 0);
  EXPECT_EQ(round.room(Phase::search), 3.0);
  expect_seat(round.add(1), 1, 1);
  EXPECT_EQ(round.room(Phase::search), 2.0) << "six each: both have as much room";
  expect_seat(round.add(2), 1, 2);
  expect_seat(round.add(2), 2, 1);
  EXPECT_EQ(round.room(Phase::search), 0.0);
  EXPECT_EQ(round.length(), 8.0);
  EXPECT_EQ(round.left(), 0U) << "all are busy to its end";
}

TEST(Round, TheLongestOfOneEachIsTheLengthElsewhere) {
  for (const auto& [batches, phase] : {std::pair(Batches::fill, Phase::design), {Batches::top_up, Phase::search}}) {
    Round round(batches, {2, 5}, true);
    round.add(1);
    EXPECT_EQ(round.room(phase), infinity);
    expect_seat(round.add(4), 1, 0);
    EXPECT_EQ(round.length(), 4.0);
    EXPECT_EQ(round.room(phase), 3.0);
    expect_seat(round.add(2), 0, 1);
    EXPECT_EQ(round.room(phase), 1.0);
    EXPECT_EQ(round.left(), 2U);
    EXPECT_EQ(round.idle(), 0U);
  }
}

TEST(Round, OneAWorkerWhereNothingIsQueued) {
  for (Round round : {Round(Batches::fixed, {3, 3}, true), Round(Batches::fill, {3, 12}, false)}) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(round.left(), 3 - i);
      EXPECT_EQ(round.room(Phase::search), infinity);
      expect_seat(round.add(0), i, 0);
    }
    EXPECT_EQ(round.left(), 0U);
    EXPECT_FALSE(round.length());
  }
}

Options filled(Batches batches, double budget, std::size_t workers) {
  Options options = small_options(budget);
  options.batches = batches;
  options.batch_size = workers;
  return options;
}

/// By the receipts alone: queues have no holes, and their predicted sums end inside the round.
void expect_fits(const std::vector<Suggestion>& round, std::size_t workers) {
  std::map<std::size_t, std::vector<double>> queues;
  double length = 0;
  for (const Suggestion& s : round) {
    ASSERT_LT(s.slot, workers);
    EXPECT_EQ(s.order, queues[s.slot].size());
    queues[s.slot].push_back(s.receipt.predicted_cost.value_or(0.0));
    length = std::max(length, s.receipt.round_length.value_or(0.0));
  }
  EXPECT_LE(round.size(), Optimizer::most_per_worker * workers);
  if (!round.empty() && !round.back().receipt.round_length) {
    for (const auto& [slot, queue] : queues) EXPECT_EQ(queue.size(), 1U);
    return;
  }
  for (const auto& [slot, queue] : queues) {
    double sum = 0;
    for (const double cost : queue) sum += cost;
    EXPECT_LE(sum, length * (1 + 1e-9));
  }
}

/// What the rounds of a run cost, by a plain loop over batch and slot of its observations.
double reckoned(std::span<const Observation> observations) {
  std::map<std::uint64_t, std::map<std::size_t, double>> rounds;
  for (const Observation& seen : observations) rounds[seen.batch.value()][seen.slot.value()] += seen.cost;
  double sum = 0;
  for (const auto& [round, slots] : rounds) {
    double busiest = 0;
    for (const auto& [slot, time] : slots) busiest = std::max(busiest, time);
    sum += busiest;
  }
  return sum;
}

struct RoundCourse {
  Visits visited;
  std::size_t queued = 0;         ///< suggestions behind others, in the search
  std::size_t queued_design = 0;  ///< and in the design
};

RoundCourse follow(Optimizer& optimizer) {
  RoundCourse course;
  std::set<std::vector<double>> distinct;
  while (!optimizer.done()) {
    const std::vector<Suggestion> round = optimizer.ask();
    if (round.empty()) break;
    expect_fits(round, optimizer.options().batch_size);
    for (const Suggestion& s : round) {
      course.visited.emplace_back(s.configuration.numbers().begin(), s.configuration.numbers().end());
      EXPECT_TRUE(distinct.insert(course.visited.back()).second);
      if (s.order > 0) ++(s.receipt.phase == Phase::search ? course.queued : course.queued_design);
      optimizer.tell(s.id, valley(s.configuration));
    }
    EXPECT_NEAR(optimizer.spent(), reckoned(optimizer.observations()), 1e-9);
  }
  return course;
}

TEST(Rounds, FitIntoTheirLengthAndCostTheirMakespan) {
  for (const Batches batches : {Batches::fill, Batches::top_up}) {
    for (const std::size_t workers : {1U, 2U, 4U, 7U}) {
      if (sanitized && (workers == 2 || workers == 7)) continue;
      Options options = filled(batches, 60, workers);
      Optimizer optimizer(valley_space(), options);
      const RoundCourse course = follow(optimizer);
      EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
      if (workers == 1)
        EXPECT_EQ(course.queued + course.queued_design, 0U);
      else
        EXPECT_GT(course.queued, 0U) << to_string(batches) << ", " << workers;
      options.backend.threads = 3;
      options.backend.tile = 100;
      Optimizer again(valley_space(), options);
      EXPECT_EQ(follow(again).visited, course.visited) << "whatever the number of threads";
    }
  }
}

TEST(Rounds, OfOneWorkerAreFixedBatchesOfOne) {
  const Visits expected = visits(filled(Batches::fixed, 60, 1));
  EXPECT_EQ(visits(filled(Batches::fill, 60, 1)), expected);
  EXPECT_EQ(visits(filled(Batches::top_up, 60, 1)), expected);
}

TEST(Rounds, TopUpBeginsWithTheFixedBatch) {
  Optimizer fixed(valley_space(), filled(Batches::fixed, 200, 3));
  Optimizer topped(valley_space(), filled(Batches::top_up, 200, 3));
  for (Optimizer* const one : {&fixed, &topped}) {
    for (int i = 0; i < 12; ++i) {
      const double at = (i + 0.5) / 12;
      const Configuration point = valley_space().configuration({{"x", at}, {"y", 1 - at * at}});
      one->tell(point, valley(point));
    }
  }
  while (fixed.phase() != Phase::search || topped.phase() != Phase::search) {
    for (Optimizer* const one : {&fixed, &topped})
      for (const Suggestion& s : one->ask(1)) one->tell(s.id, valley(s.configuration));
  }
  const auto expected = fixed.ask(), found = topped.ask();
  ASSERT_EQ(expected.size(), 3U);
  ASSERT_GT(found.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].configuration, expected[i].configuration);
    EXPECT_EQ(found[i].slot, i);
  }
}

TEST(Rounds, HoldStreamsAndPools) {
  Options streamed = filled(Batches::fill, sanitized ? 20 : 40, 3);
  streamed.candidates.count = 60000;
  streamed.backend.memory_bytes = 3200000;
  Optimizer stream(valley_space(), streamed);
  ASSERT_TRUE(stream.memory_plan().streamed);
  EXPECT_GT(follow(stream).queued, 0U);

  Options pooled = filled(Batches::fill, 1e6, 3);
  pooled.candidates.pool = grid_pool(valley_space(), 6);
  Optimizer pool(valley_space(), pooled);
  EXPECT_EQ(follow(pool).visited.size(), 36U) << "to the last row";
  EXPECT_EQ(pool.stop_reason(), StopReason::exhausted);
}

TEST(Rounds, StopAtMaxEvaluations) {
  Options options = filled(Batches::fill, 1e6, 4);
  options.max_evaluations = 30;
  Optimizer optimizer(valley_space(), options);
  EXPECT_EQ(follow(optimizer).visited.size(), 30U);
}

TEST(Rounds, KeepAStrictBudget) {
  for (const Batches batches : {Batches::fill, Batches::top_up}) {
    Options options = filled(batches, 40, 3);
    options.strict = true;
    options.cost.known = [](const Configuration& x) { return valley(x).cost; };
    Optimizer optimizer(valley_space(), options);
    EXPECT_GT(follow(optimizer).queued, 0U);
    EXPECT_LE(optimizer.spent(), 40.0 * (1 + 1e-9)) << "costs are known, so nothing overruns";
    EXPECT_GT(optimizer.spent(), 36.0);
    EXPECT_EQ(optimizer.stop_reason(), StopReason::strict_budget);
  }
}

TEST(Rounds, CommitThePredictedMakespanOfWhatRuns) {
  Optimizer optimizer(valley_space(), filled(Batches::top_up, 60, 3));
  while (optimizer.phase() != Phase::search)
    for (const Suggestion& s : optimizer.ask()) optimizer.tell(s.id, valley(s.configuration));
  std::vector<Suggestion> round = optimizer.ask();
  while (std::ranges::none_of(round, [](const Suggestion& s) { return s.order > 0; })) {
    for (const Suggestion& s : round) optimizer.tell(s.id, valley(s.configuration));
    round = optimizer.ask();
  }
  std::vector<double> sums(3, 0.0);
  for (const Suggestion& s : round) sums[s.slot] += *s.receipt.predicted_cost;
  EXPECT_NEAR(optimizer.ask(1).at(0).receipt.committed, std::ranges::max(sums), 1e-9);
  // Taken back from the middle of its queue, a suggestion costs nothing, and what is behind it moves up.
  const auto last = std::ranges::find_if(round, [](const Suggestion& s) { return s.order > 0; });
  const double before = optimizer.spent();
  for (const Suggestion& s : round)
    if (s.slot == last->slot && s.order + 1 == last->order) optimizer.withdraw(s.id);
  std::vector<double> times(3, 0.0);
  for (const Suggestion& s : round) {
    if (s.slot == last->slot && s.order + 1 == last->order) continue;
    if (s.id % 2 == 0)
      optimizer.fail(s.id, 0.5, "lost");
    else
      optimizer.tell(s.id, {1.0, 2.0});
    times[s.slot] += s.id % 2 == 0 ? 0.5 : 2.0;
  }
  EXPECT_NEAR(optimizer.spent(), before + std::ranges::max(times), 1e-9);
  EXPECT_EQ(optimizer.pending().size(), 1U);
}

TEST(Rounds, GoOnWhereARunStopped) {
  for (const Batches later : {Batches::fill, Batches::fixed}) {
    const Options options = filled(Batches::fill, 80, 3);
    Optimizer whole(valley_space(), options);
    while (whole.spent() < 50)
      for (const Suggestion& s : whole.ask()) whole.tell(s.id, valley(s.configuration));
    Options rest = options;
    rest.batches = later;
    rest.pick_cost = PickCost::own;
    Optimizer again(valley_space(), rest);
    for (const Observation& seen : whole.observations()) again.tell(seen);
    EXPECT_NEAR(again.spent(), whole.spent(), 1e-9) << "queues are told by batch and slot, whatever comes next";
    const auto expected = whole.ask(), found = again.ask();
    EXPECT_NEAR(*found.at(0).receipt.alpha, *expected.at(0).receipt.alpha, 1e-9);
    EXPECT_EQ(found[0].receipt.round_length.has_value(), later == Batches::fill);
  }
}

TEST(Rounds, DrawsAndPointsGetAWorkerOfTheirOwn) {
  Options options = filled(Batches::fill, 200, 3);
  options.cost.known = [](const Configuration& x) { return valley(x).cost; };
  options.initial_design = InitialDesign::points;
  for (const double at : {0.9, 0.1, 0.2, 0.3, 0.8})
    options.design.points.push_back(valley_space().configuration({{"x", at}, {"y", at}}));
  Optimizer optimizer(valley_space(), options);
  const auto first = optimizer.ask();
  ASSERT_EQ(first.size(), 3U) << "as the caller ordered them";
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(first[i].configuration, options.design.points[i]);
  EXPECT_NEAR(*first.back().receipt.round_length, std::exp(2.7), 1e-9);
  for (const Suggestion& s : first) optimizer.tell(s.id, valley(s.configuration));
  const auto second = optimizer.ask();
  EXPECT_EQ(second.at(1).configuration, options.design.points[4]);
  ASSERT_GT(second.size(), 3U) << "what is left of the round belongs to the search";
  EXPECT_EQ(second[2].receipt.phase, Phase::search);
  expect_fits(second, 3);

  options.initial_design = InitialDesign::uniform;
  options.design.points.clear();
  options.acquisition = Acquisition::random;
  Optimizer random(valley_space(), options);
  for (int i = 0; i < 3; ++i) {
    const auto round = random.ask();
    EXPECT_EQ(round.size(), 3U);
    for (const Suggestion& s : round) random.tell(s.id, valley(s.configuration));
  }
}

TEST(Rounds, MemoryIsPlannedForAllOfThem) {
  const Optimizer fixed(valley_space(), filled(Batches::fixed, 100, 64));
  const Optimizer four_times(valley_space(), filled(Batches::fixed, 100, 256));
  const Optimizer filling(valley_space(), filled(Batches::fill, 100, 64));
  EXPECT_GT(filling.memory_plan().total_bytes(), fixed.memory_plan().total_bytes());
  EXPECT_EQ(filling.memory_plan().total_bytes(), four_times.memory_plan().total_bytes());
}

TEST(Rounds, AreRefusedWhereThereAreNone) {
  const auto refused = [](const auto& change, const std::vector<std::string>& parts) {
    for (const Batches batches : {Batches::fill, Batches::top_up}) {
      Options options = filled(batches, 10, 2);
      change(options);
      expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, parts);
    }
  };
  refused([](Options& o) { o.accounting = Accounting::sum; }, {"batches is ", "summed", "Accounting::longest"});
  refused([](Options& o) { o.cost.unit = "EUR"; }, {"batches is ", "EUR", "unit of time", "Batches::fixed"});
  refused([](Options& o) { o.execution = Execution::asynchronous; }, {"asynchronous", "Execution::synchronous"});
  Options clock = filled(Batches::fill, 10, 2);
  clock.accounting = Accounting::wall_clock;
  EXPECT_EQ(Optimizer(valley_space(), clock).accounting(), Accounting::wall_clock);
}

TEST(Rounds, FixedAndAsynchronousSuggestionsHaveTheirWorker) {
  Optimizer fixed(valley_space(), filled(Batches::fixed, 100, 2));
  const auto batch = fixed.ask(5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(batch.at(i).slot, i) << "what is asked for at once runs at once";
    EXPECT_EQ(batch[i].order, 0U);
    fixed.tell(batch[i].id, {1.0 + static_cast<double>(i), 2.0 + static_cast<double>(i)});
  }
  EXPECT_EQ(fixed.spent(), 6.0);
  Options options = filled(Batches::fixed, 100, 2);
  options.execution = Execution::asynchronous;
  Optimizer slots(valley_space(), options);
  const auto two = slots.ask(2);
  slots.tell(two.at(1).id, {1.0, 1.0});
  EXPECT_EQ(slots.ask(1).at(0).slot, two[1].slot);
  EXPECT_EQ(slots.observations()[0].slot, two[1].slot);
}

}  // namespace
}  // namespace carbo
