#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <carbo/carbo.hpp>

#include "engine/ledger.hpp"
#include "support/expect_error.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// What is told as this run's own counts as if this run had found it: spent, the design's end, alpha.
namespace carbo {
namespace {

using namespace test;

struct Stage {
  std::vector<Observation> observations;
  double spent = 0;
  Receipt next;  ///< of what the uninterrupted run suggests then
};

/// An uninterrupted run up to `share` of its budget.
Stage run_until(double share, const Options& options, std::size_t batch, std::size_t keep_running = 0) {
  Optimizer optimizer(valley_space(), options);
  std::vector<Suggestion> running;
  Stage stage;
  while (optimizer.spent() < share * options.budget && !optimizer.done()) {
    for (Suggestion& s : optimizer.ask(batch)) running.push_back(std::move(s));
    for (; running.size() > keep_running; running.erase(running.begin())) {
      optimizer.tell(running.front().id, valley(running.front().configuration));
    }
  }
  for (const Suggestion& s : running) optimizer.tell(s.id, valley(s.configuration));
  stage.observations.assign(optimizer.observations().begin(), optimizer.observations().end());
  stage.spent = optimizer.spent();
  stage.next = optimizer.ask(batch).at(0).receipt;
  return stage;
}

void expect_goes_on(const Options& options, const Stage& stage, Optimizer& again, std::size_t batch,
                    double tolerance = 1e-12) {
  EXPECT_NEAR(again.spent(), stage.spent, 1e-12 * stage.spent);
  EXPECT_EQ(again.phase(), Phase::search);
  const Receipt next = again.ask(batch).at(0).receipt;
  EXPECT_EQ(next.phase, Phase::search);
  ASSERT_TRUE(next.alpha && stage.next.alpha);
  EXPECT_NEAR(*next.alpha, *stage.next.alpha, tolerance);
  EXPECT_LT(*next.alpha, 0.6) << "a stage far enough into the search to tell";
  EXPECT_NEAR(next.progress, stage.next.progress, tolerance);
  EXPECT_EQ(again.options().budget, options.budget);
}

TEST(Resume, AlphaGoesOnWhereItStoppedPointByPoint) {
  Options options = cooled_options(100);
  options.initial_design = InitialDesign::paper;
  const Stage stage = run_until(0.7, options, 1);
  Optimizer again(valley_space(), options);
  for (const Observation& seen : stage.observations) {
    again.tell(seen.configuration, {seen.objective, seen.cost}, Origin::this_run);
  }
  expect_goes_on(options, stage, again, 1);
}

TEST(Resume, ObservationsCarryTheirBatches) {
  for (const Accounting accounting : {Accounting::longest, Accounting::sum}) {
    Options options = cooled_options(accounting == Accounting::sum ? 200 : 60);
    options.accounting = accounting;
    options.batch_size = 4;
    options.design.warm_start = 4;  // so that rounds are full where costs are summed, too
    const Stage stage = run_until(0.6, options, 4);
    std::map<std::uint64_t, double> longest;
    double sum = 0;
    for (const Observation& seen : stage.observations) {
      ASSERT_TRUE(seen.batch);
      longest[*seen.batch] = std::max(longest[*seen.batch], seen.cost);
      sum += seen.cost;
    }
    EXPECT_EQ(longest.size(), stage.observations.size() / 4);
    double reckoned = 0;
    for (const auto& [batch, cost] : longest) reckoned += cost;
    EXPECT_NEAR(stage.spent, accounting == Accounting::sum ? sum : reckoned, 1e-9);
    Optimizer again(valley_space(), options);
    for (const Observation& seen : stage.observations) again.tell(seen);
    expect_goes_on(options, stage, again, 4);
  }
}

/// Where the design owes fewer points than a batch has, the search begins inside that batch.
TEST(Resume, ADesignThatEndsInsideABatch) {
  for (const InitialDesign design : {InitialDesign::uniform, InitialDesign::points}) {
    for (const std::size_t batches : {2U, 3U, 6U}) {
      if (sanitized && batches == 6) continue;
      Options options = cooled_options(600);
      options.accounting = Accounting::sum;
      options.batch_size = 4;
      options.initial_design = design;
      if (design == InitialDesign::points) {
        for (const double at : {0.1, 0.2, 0.3, 0.4, 0.6, 0.7})
          options.design.points.push_back(valley_space().configuration({{"x", at}, {"y", 1 - at}}));
      }
      Optimizer whole(valley_space(), options);
      for (std::size_t i = 0; i < batches; ++i)
        for (const Suggestion& s : whole.ask()) whole.tell(s.id, valley(s.configuration));
      Optimizer again(valley_space(), options);
      std::vector<Observation> told(whole.observations().begin(), whole.observations().end());
      for (auto batch = told.begin(); batch != told.end(); batch += 4) std::reverse(batch, batch + 4);
      for (const Observation& seen : told) again.tell(seen);
      EXPECT_EQ(again.phase(), Phase::search);
      EXPECT_DOUBLE_EQ(*again.ask().at(0).receipt.alpha, *whole.ask().at(0).receipt.alpha) << batches;
    }
  }
}

TEST(Resume, AnAsynchronousRunKeepsItsSlots) {
  Options options = cooled_options(60);
  options.execution = Execution::asynchronous;
  options.batch_size = 3;
  const Stage stage = run_until(0.6, options, 1, 2);
  double busiest = 0;
  for (std::size_t slot = 0; slot < 3; ++slot) {
    double time = 0;
    for (const Observation& seen : stage.observations) time += *seen.slot == slot ? seen.cost : 0.0;
    busiest = std::max(busiest, time);
  }
  EXPECT_NEAR(stage.spent, busiest, 1e-9);
  Optimizer again(valley_space(), options);
  for (const Observation& seen : stage.observations) again.tell(seen);
  // Where the design ended, predicted costs of what ran were counted that nobody remembers.
  expect_goes_on(options, stage, again, 1, 0.1);
}

TEST(Resume, ALimitOfEvaluationsGoesOn) {
  Options options = cooled_options(1e5);
  options.initial_design = InitialDesign::paper;
  options.max_evaluations = 30;
  Optimizer whole(valley_space(), options);
  for (int i = 0; i < 18; ++i) {
    const Suggestion s = whole.ask(1).at(0);
    whole.tell(s.id, valley(s.configuration));
  }
  Optimizer again(valley_space(), options);
  for (const Observation& seen : whole.observations()) again.tell(seen);
  EXPECT_NEAR(*again.ask(1).at(0).receipt.alpha, 12.0 / 25, 1e-12) << "the design ended after 5 of 30";
  EXPECT_NEAR(*whole.ask(1).at(0).receipt.alpha, 12.0 / 25, 1e-12);
}

TEST(Resume, FailuresAndBatchNumbersGoOn) {
  Options options = cooled_options(200);
  options.batch_size = 2;
  Optimizer first(valley_space(), options);
  for (int i = 0; i < 6; ++i) {
    const auto batch = first.ask(2);
    first.tell(batch.at(0).id, valley(batch[0].configuration));
    first.fail(batch.at(1).id, 2.5, "diverged", i % 2 == 0);
  }
  Optimizer second(valley_space(), options);
  for (const Observation& seen : first.observations()) second.tell(seen);
  EXPECT_NEAR(second.spent(), first.spent(), 1e-12);
  ASSERT_EQ(second.observations().size(), 12U);
  EXPECT_EQ(second.observations()[1].status, ObservationStatus::timed_out);
  EXPECT_EQ(second.observations()[3].status, ObservationStatus::failed);
  EXPECT_EQ(second.observations()[3].reason, "diverged");
  EXPECT_TRUE(std::isnan(second.observations()[3].objective));
  EXPECT_FALSE(second.observations()[3].id) << "ids are the other optimizer's";
  const auto batch = second.ask(2);
  for (const Suggestion& s : batch) second.tell(s.id, valley(s.configuration));
  EXPECT_EQ(second.observations().back().batch, 6U) << "numbers go on, so that a third run can follow";
}

TEST(Resume, CallersPointsThatWereEvaluatedAreNotOwed) {
  const Space space = valley_space();
  Options options = cooled_options(100);
  options.initial_design = InitialDesign::points;
  for (const double x : {0.9, 0.1, 0.1, 0.5}) {
    options.design.points.push_back(space.configuration({{"x", x}, {"y", 0.25}}));
  }
  const Stage stage = run_until(0.7, options, 1);
  Optimizer again(space, options);
  for (const Observation& seen : stage.observations) again.tell(seen);
  expect_goes_on(options, stage, again, 1);
  // A point of the caller's own before the design changes nothing of what is owed.
  Optimizer fresh(space, options);
  fresh.tell(space.configuration({{"x", 0.3}, {"y", 0.3}}), {1.0, 30.0}, Origin::this_run);
  fresh.tell(space.configuration({{"x", 0.35}, {"y", 0.3}}), {1.0, 30.0}, Origin::this_run);
  EXPECT_EQ(fresh.ask(1).at(0).configuration, options.design.points[0]);
}

TEST(Resume, MinimizeGoesOnFromWhatHooksTell) {
  Options options = cooled_options(120);
  options.batch_size = 3;
  const Result whole = minimize(valley_space(), options, valley);
  std::stop_source stop;
  Hooks first;
  first.stop = stop.get_token();
  first.progress = [&](const Progress& p) {
    if (p.spent > 0.5 * p.budget) stop.request_stop();
  };
  const Result part = minimize(valley_space(), options, valley, first);
  ASSERT_EQ(part.stop_reason, StopReason::cancelled);
  Hooks second;
  second.prior = part.observations;
  const Result rest = minimize(valley_space(), options, valley, second);
  const Suggestion& expected = whole.suggestions[part.suggestions.size()];
  ASSERT_FALSE(rest.suggestions.empty());
  EXPECT_EQ(rest.suggestions[0].receipt.phase, Phase::search);
  EXPECT_NEAR(*rest.suggestions[0].receipt.alpha, *expected.receipt.alpha, 1e-12);
  EXPECT_NEAR(rest.suggestions[0].receipt.spent, part.spent, 1e-9);
  EXPECT_EQ(rest.stop_reason, StopReason::budget);
  std::map<std::uint64_t, double> longest;
  for (const Observation& seen : rest.observations) {
    longest[*seen.batch] = std::max(longest[*seen.batch], seen.cost);
  }
  double spent = 0;
  for (const auto& [batch, cost] : longest) spent += cost;
  EXPECT_NEAR(rest.spent, spent, 1e-9);
}

TEST(Resume, OriginsAreKept) {
  Optimizer optimizer(valley_space(), cooled_options(100));
  const auto point = valley_space().configuration({{"x", 0.5}, {"y", 0.5}});
  Observation seen{std::nullopt, point, ObservationStatus::succeeded, Origin::prior, 1.0, 7.0, ""};
  optimizer.tell(seen);
  EXPECT_EQ(optimizer.spent(), 0.0);
  EXPECT_EQ(optimizer.observations()[0].origin, Origin::prior);
  seen.batch = std::numeric_limits<std::uint64_t>::max();
  expect_error<InvalidObservation>([&] { optimizer.tell(seen); }, {"x=0.5", "batch"});
  seen.batch.reset();
  seen.cost = -1;
  expect_error<InvalidObservation>([&] { optimizer.tell(seen); }, {"x=0.5", "cost", "-1"});
  seen.status = ObservationStatus::timed_out;
  expect_error<InvalidObservation>([&] { optimizer.tell(seen); }, {"x=0.5", "failure's cost", "-1"});
  EXPECT_EQ(optimizer.observations().size(), 1U);
}

using internal::Ledger;

TEST(ResumedLedger, ToldPlacesCountAsIfTheyHadRunHere) {
  const auto clock = [] { return 0.0; };
  Ledger batches(Accounting::longest, Execution::synchronous, 2, 1.0, clock);
  batches.add_unsuggested(3, {.batch = 4});
  batches.add_unsuggested(5, {.batch = 4});
  batches.add_unsuggested(2, {.batch = 5});
  batches.add_unsuggested(10);
  EXPECT_EQ(batches.spent(), 5.0 + 2 + 10);
  EXPECT_TRUE(batches.knows_batch(4));
  EXPECT_FALSE(batches.knows_batch(0));
  batches.start(std::vector<std::uint64_t>{7});
  EXPECT_EQ(batches.place(7).batch, 6U);

  Ledger slots(Accounting::longest, Execution::asynchronous, 2, 1.0, clock);
  slots.add_unsuggested(3, {.slot = 0});
  slots.add_unsuggested(1, {.slot = 1});
  slots.add_unsuggested(9, {.slot = 7});  // an earlier part had more workers
  EXPECT_EQ(slots.spent(), 9.0);
  slots.start(std::vector<std::uint64_t>{0});
  EXPECT_EQ(slots.place(0).slot, 1U) << "the slot that is free soonest";
  slots.finish(0, 20);
  EXPECT_EQ(slots.spent(), 21.0);
  EXPECT_EQ(slots.room(30, {}, 0), 27.0);
}

TEST(ResumedLedger, AClockAddsWhatWasToldBeforeItStarted) {
  double now = 50;
  Ledger ledger(Accounting::wall_clock, Execution::synchronous, 2, 1.0, [&now] { return now; });
  ledger.add_unsuggested(3, {.batch = 0});
  ledger.add_unsuggested(5, {.batch = 0});
  EXPECT_EQ(ledger.spent(), 5.0);
  ledger.open();
  now = 54;
  ledger.add_unsuggested(4);  // ran while the clock did
  EXPECT_EQ(ledger.spent(), 9.0);
}

}  // namespace
}  // namespace carbo
