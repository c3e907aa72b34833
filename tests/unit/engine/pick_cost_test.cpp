#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/toy_problems.hpp"

// What picks count beside the others of their round.
namespace carbo {
namespace {

using namespace test;

Options rounds_of(std::size_t workers, PickCost cost, Acquisition acquisition = Acquisition::ei_per_cost) {
  Options options = small_options(1e4);
  options.batch_size = workers;
  options.acquisition = acquisition;
  options.pick_cost = cost;
  options.initial_design = InitialDesign::uniform;
  options.candidates.pool = grid_pool(valley_space(), 12);
  options.cost.known = "exp(3 * x)";
  return options;
}

Configuration configuration_of(const Pool& pool, std::size_t row) {
  return valley_space().configuration(pool.row(row));
}

/// Rows of a round after a few results, begun with the row of a point that the caller wants, where there is one.
std::vector<std::size_t> rows_of_a_round(const Options& options, std::optional<std::size_t> wanted = {}) {
  Optimizer optimizer(valley_space(), options);
  const std::shared_ptr<const Pool> pool = options.candidates.pool;
  for (std::size_t row = 5; row < pool->size(); row += 17) {
    const Configuration point = configuration_of(*pool, row);
    optimizer.tell(point, valley(point));
  }
  if (wanted) optimizer.enqueue(configuration_of(*pool, *wanted));
  std::vector<std::size_t> rows;
  for (const Suggestion& one : optimizer.ask()) rows.push_back(one.pool_index.value());
  return rows;
}

std::size_t dearest_row(const Pool& pool) {
  std::size_t dearest = 0;
  for (std::size_t row = 0; row < pool.size(); ++row)
    if (valley(configuration_of(pool, row)).cost > valley(configuration_of(pool, dearest)).cost) dearest = row;
  return dearest;
}

/// Beside the dearest of all no other takes time of its own: improvement alone decides.
TEST(PickCost, WhatEndsWithTheRoundIsFree) {
  const Options in_round = rounds_of(5, PickCost::in_round), own = rounds_of(5, PickCost::own);
  const std::size_t dearest = dearest_row(*in_round.candidates.pool);
  const std::vector<std::size_t> blind = rows_of_a_round(rounds_of(5, PickCost::own, Acquisition::ei), dearest);
  EXPECT_EQ(rows_of_a_round(in_round, dearest), blind);
  EXPECT_NE(rows_of_a_round(own, dearest), blind);
}

TEST(PickCost, TheFirstOfARoundCountsItsOwnCost) {
  EXPECT_EQ(rows_of_a_round(rounds_of(1, PickCost::in_round)), rows_of_a_round(rounds_of(1, PickCost::own)));
  const std::vector<std::size_t> joined = rows_of_a_round(rounds_of(5, PickCost::in_round));
  const std::vector<std::size_t> alone = rows_of_a_round(rounds_of(5, PickCost::own));
  EXPECT_EQ(joined.front(), alone.front());
  EXPECT_NE(joined, alone);
}

TEST(PickCost, IsTheirOwnWhereNobodyWaits) {
  const auto expect_own = [](Options options) {
    const std::vector<std::size_t> rows = rows_of_a_round(options);
    options.pick_cost = PickCost::own;
    EXPECT_EQ(rows, rows_of_a_round(options));
    EXPECT_EQ(rows.size(), 5u);
  };
  Options summed = rounds_of(5, PickCost::in_round);
  summed.accounting = Accounting::sum;
  expect_own(summed);
  Options asynchronous = rounds_of(5, PickCost::in_round);
  asynchronous.execution = Execution::asynchronous;
  expect_own(asynchronous);
}

/// The first of a round that is filled opens it, and what follows takes a worker's time.
TEST(PickCost, IsTheirOwnWhereARoundIsFilled) {
  Options filled = rounds_of(3, PickCost::in_round);
  filled.batches = Batches::fill;
  const std::vector<std::size_t> rows = rows_of_a_round(filled);
  filled.pick_cost = PickCost::own;
  EXPECT_EQ(rows, rows_of_a_round(filled));
}

TEST(PickCost, ATopUpBeginsWithAFixedBatch) {
  Options topped = rounds_of(3, PickCost::in_round);
  topped.batches = Batches::top_up;
  std::vector<std::size_t> rows = rows_of_a_round(topped);
  ASSERT_GE(rows.size(), 3u);
  rows.resize(3);
  EXPECT_EQ(rows, rows_of_a_round(rounds_of(3, PickCost::in_round)));
}

TEST(PickCost, ReceiptsSayWhatTheRoundLasts) {
  for (const PickCost cost : {PickCost::in_round, PickCost::own}) {
    Optimizer optimizer(valley_space(), rounds_of(4, cost));
    for (int round = 0; round < 4; ++round) {
      double longest = 0;
      for (const Suggestion& one : optimizer.ask()) {
        longest = std::max(longest, one.receipt.predicted_cost.value());
        EXPECT_EQ(one.receipt.round_length, cost == PickCost::in_round ? std::optional(longest) : std::nullopt);
        optimizer.tell(one.id, valley(one.configuration));
      }
    }
  }
}

/// Rows that do not fit into memory are read tile by tile, for every pick anew.
TEST(PickCost, StreamedRowsGiveTheSameRounds) {
  Options resident = rounds_of(5, PickCost::in_round);
  resident.candidates.pool.reset();
  resident.candidates.count = 60000;
  Options streamed = resident;
  streamed.backend.memory_bytes = 3200000;
  std::vector<Visits> visits;
  for (const Options& options : {resident, streamed}) {
    Optimizer optimizer(valley_space(), options);
    EXPECT_EQ(optimizer.memory_plan().streamed, options.backend.memory_bytes > 0);
    Visits visited;
    for (int round = 0; round < 2; ++round) {
      for (const Suggestion& one : optimizer.ask()) {
        const auto numbers = one.configuration.numbers();
        visited.emplace_back(numbers.begin(), numbers.end());
        optimizer.tell(one.id, valley(one.configuration));
      }
    }
    visits.push_back(visited);
  }
  EXPECT_EQ(visits[0], visits[1]);
}

}  // namespace
}  // namespace carbo
