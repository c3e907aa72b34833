#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <carbo/carbo.hpp>

#include "backend/box.hpp"
#include "support/random.hpp"
#include "support/sanitized.hpp"

namespace carbo {
namespace {

using test::box;
using test::evaluate_box;

constexpr std::size_t rows = 10000;

/// A budget with room for one tile of 4,096 candidates and no more.
std::size_t one_tile(std::size_t factors = 1) {
  MemoryRequest sizes;
  sizes.candidates = 4096;
  sizes.parameters = sizes.columns = 3;
  sizes.observations = 40;
  sizes.fantasies = 4;
  sizes.factors = factors;
  sizes.batch = 8;
  sizes.threads = 2;
  sizes.budget = std::size_t{1} << 40;
  return plan_memory(sizes).total_bytes();
}

Options options(std::size_t memory_bytes) {
  Options options{.budget = 1000.0, .batch_size = 3, .seed = 11};
  options.initial_design = InitialDesign::uniform;
  options.design.warm_start = 6;
  options.fantasies.count = 4;
  options.candidates.count = rows;
  options.backend.threads = 2;
  options.backend.memory_bytes = memory_bytes;
  return options;
}

std::vector<double> pool_numbers() {
  std::vector<double> numbers(rows * 3);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = internal::uniform(3, internal::Draw::uniform_configuration, i);
  return numbers;
}

/// Prior data that both optimizers share, so that the search begins at once.
void teach(Optimizer& optimizer) {
  for (std::size_t i = 0; i < 25; ++i) {
    std::vector<double> numbers(3);
    for (std::size_t c = 0; c < 3; ++c)
      numbers[c] = internal::uniform(5, internal::Draw::uniform_configuration, i, static_cast<std::uint32_t>(c));
    const Configuration configuration = optimizer.space().configuration(numbers);
    optimizer.tell(configuration, evaluate_box(configuration));
  }
}

/// Both must suggest the same for several rounds, batches and pending points included.
void expect_same_suggestions(Optimizer& resident, Optimizer& streamed) {
  ASSERT_FALSE(resident.memory_plan().streamed);
  ASSERT_TRUE(streamed.memory_plan().streamed);
  const int rounds = test::sanitized ? 2 : 3;
  for (int round = 0; round < rounds; ++round) {
    const auto expected = resident.ask();
    const auto found = streamed.ask();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].configuration.to_string(), expected[i].configuration.to_string());
      EXPECT_EQ(found[i].pool_index, expected[i].pool_index);
      ASSERT_EQ(found[i].receipt.phase, Phase::search);
      EXPECT_EQ(found[i].receipt.log_score, expected[i].receipt.log_score);
      EXPECT_EQ(found[i].receipt.runner_up_log_score, expected[i].receipt.runner_up_log_score);
      EXPECT_EQ(found[i].receipt.break_even_price, expected[i].receipt.break_even_price);
      EXPECT_EQ(found[i].receipt.candidates, expected[i].receipt.candidates);
      EXPECT_EQ(*found[i].receipt.refreshed_share > 0, i > 0 || round > 0);
      if (i == 0 && round + 1 < rounds) continue;  // the first of each round stays pending
      resident.tell(expected[i].id, evaluate_box(expected[i].configuration));
      streamed.tell(found[i].id, evaluate_box(found[i].configuration));
    }
  }
}

TEST(StreamedSearch, SuggestsWhatTheResidentSearchSuggests) {
  for (const CostWeight weight : {CostWeight::median, CostWeight::mean, CostWeight::moment}) {
    Options whole = options(0), tiles = options(one_tile());
    whole.cost.weight = tiles.cost.weight = weight;
    Optimizer resident(box(), whole), streamed(box(), tiles);
    EXPECT_LT(streamed.memory_plan().tile, rows);
    teach(resident);
    teach(streamed);
    expect_same_suggestions(resident, streamed);
  }
}

TEST(StreamedSearch, SuggestsWhatTheResidentSearchSuggestsByTheGittinsIndex) {
  for (const CostWeight weight : {CostWeight::median, CostWeight::mean}) {
    Options whole = options(0), tiles = options(one_tile());
    whole.acquisition = tiles.acquisition = Acquisition::gittins;
    whole.cost.weight = tiles.cost.weight = weight;
    Optimizer resident(box(), whole), streamed(box(), tiles);
    teach(resident);
    teach(streamed);
    expect_same_suggestions(resident, streamed);
  }
}

TEST(StreamedSearch, SuggestsWhatTheResidentSearchSuggestsByEntropySearch) {
  for (const FantasyMode mode : {FantasyMode::shared, FantasyMode::batched}) {
    Options whole = options(0), tiles = options(one_tile(mode == FantasyMode::batched ? 3 : 1));
    whole.acquisition = tiles.acquisition = Acquisition::mes_cool;
    whole.fantasies = tiles.fantasies = {.count = 3, .mode = mode};
    Optimizer resident(box(), whole), streamed(box(), tiles);
    teach(resident);
    teach(streamed);
    expect_same_suggestions(resident, streamed);
  }
}

TEST(StreamedSearch, WorksWithFantasiesOfTheirOwnHyperparameters) {
  Options whole = options(0), tiles = options(one_tile(3));
  whole.fantasies = tiles.fantasies = {.count = 3, .mode = FantasyMode::batched};
  Optimizer resident(box(), whole), streamed(box(), tiles);
  teach(resident);
  teach(streamed);
  expect_same_suggestions(resident, streamed);
}

TEST(StreamedSearch, ReadsPoolsFromMemoryAndFromAMappedFile) {
  const Space space = box();
  const std::vector<double> numbers = pool_numbers();
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "carbo_streamed_pool.bin";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
  const auto in_memory = std::make_shared<const Pool>(space, numbers, rows);
  const auto mapped = std::make_shared<const Pool>(Pool::map(space, file));
  for (const auto& pool : {in_memory, mapped}) {
    Options whole = options(0), tiles = options(one_tile());
    whole.candidates.pool = in_memory;
    tiles.candidates.pool = pool;
    whole.cost.known = tiles.cost.known = [](const Configuration& c) { return 0.5 + 2 * c.real("x"); };
    Optimizer resident(space, whole), streamed(space, tiles);
    teach(resident);
    teach(streamed);
    expect_same_suggestions(resident, streamed);
  }
  std::filesystem::remove(file);
}

TEST(StreamedSearch, DesignsFromASampleAndStopsWhenThePoolIsUsedUp) {
  Options few = options(one_tile());
  few.initial_design = InitialDesign::paper;
  Optimizer optimizer(box(), few);
  for (int i = 0; i < 12 && !optimizer.done(); ++i) {
    for (const Suggestion& suggestion : optimizer.ask(1))
      optimizer.tell(suggestion.id, evaluate_box(suggestion.configuration));
  }
  EXPECT_EQ(optimizer.phase(), Phase::design);
  EXPECT_EQ(optimizer.observations().size(), 12u);
}

TEST(StreamedSearch, ConstraintsAndStrictBudgetsHold) {
  Space space = box();
  space.constrain([](const Configuration& c) { return c.real("x") < c.real("y"); }, "x below y");
  Options tiles = options(one_tile());
  tiles.strict = true;
  tiles.budget = 12.0;
  tiles.accounting = Accounting::sum;
  tiles.cost.known = [](const Configuration& c) { return evaluate_box(c).cost; };
  Optimizer streamed(space, tiles);
  for (std::size_t i = 0; i < 25; ++i) {
    const double y = 0.2 + 0.03 * static_cast<double>(i);
    const Configuration configuration = space.configuration(std::vector<double>{0.9 * y, y, 0.5});
    streamed.tell(configuration, evaluate_box(configuration));
  }
  while (!streamed.done()) {
    for (const Suggestion& suggestion : streamed.ask()) {
      EXPECT_LT(suggestion.configuration.real("x"), suggestion.configuration.real("y"));
      streamed.tell(suggestion.id, evaluate_box(suggestion.configuration));
    }
  }
  EXPECT_LE(streamed.spent(), 12.0);
  EXPECT_GT(streamed.spent(), 10.0);
}

TEST(Rank, TheFirstIsWhatAskSuggestsAndScoresAreSorted) {
  for (const std::size_t memory : {std::size_t{0}, one_tile()}) {
    Optimizer optimizer(box(), options(memory));
    EXPECT_TRUE(optimizer.rank(5).empty());
    teach(optimizer);
    const auto running = optimizer.ask(2);
    const auto ranked = optimizer.rank(50);
    ASSERT_EQ(ranked.size(), 50u);
    for (std::size_t i = 1; i < ranked.size(); ++i) EXPECT_LE(ranked[i].log_score, ranked[i - 1].log_score);
    const auto next = optimizer.ask(1);
    EXPECT_EQ(next.front().configuration.to_string(), ranked.front().configuration.to_string());
    EXPECT_EQ(*next.front().receipt.log_score, ranked[0].log_score);
    EXPECT_EQ(*next.front().receipt.runner_up_log_score, ranked[1].log_score);
    EXPECT_EQ(optimizer.pending().size(), 3u);
    EXPECT_TRUE(optimizer.rank(0).empty());
  }
}

TEST(Rank, LeavesDesignAndCoolingAsTheyWere) {
  for (const std::size_t memory : {std::size_t{0}, one_tile()}) {
    Options whole = options(memory);
    whole.initial_design = InitialDesign::paper;
    whole.budget = 60.0;
    whole.batch_size = 1;
    Optimizer quiet(box(), whole), asked(box(), whole);
    std::size_t searched = 0;
    for (int i = 0; i < (test::sanitized ? 12 : 25); ++i) {
      asked.rank(3);
      const auto expected = quiet.ask(), found = asked.ask();
      ASSERT_EQ(found.size(), 1u);
      ASSERT_EQ(found[0].configuration.to_string(), expected[0].configuration.to_string()) << i;
      EXPECT_EQ(found[0].receipt.fill, expected[0].receipt.fill);
      EXPECT_EQ(found[0].receipt.alpha, expected[0].receipt.alpha);
      searched += found[0].receipt.phase == Phase::search ? 1 : 0;
      quiet.tell(expected[0].id, evaluate_box(expected[0].configuration));
      asked.tell(found[0].id, evaluate_box(found[0].configuration));
    }
    if (test::sanitized) continue;  // shorter than the design
    EXPECT_GT(searched, 3u);
    EXPECT_LT(searched, 20u);
  }
}

TEST(StreamedSearch, AKnownCostIsThatOfTheRowsAfterARacingDesign) {
  const Space space = box();
  Options tiles = options(one_tile());
  tiles.initial_design = InitialDesign::cost_effective;
  tiles.budget = 40.0;
  tiles.candidates.pool = std::make_shared<const Pool>(space, pool_numbers(), rows);
  tiles.cost.known = [](const Configuration& c) { return evaluate_box(c).cost; };
  Optimizer optimizer(space, tiles);
  while (optimizer.phase() != Phase::search && !optimizer.done()) {
    for (const Suggestion& suggestion : optimizer.ask(1))
      optimizer.tell(suggestion.id, evaluate_box(suggestion.configuration));
  }
  const auto first = optimizer.rank(3), again = optimizer.rank(3);
  ASSERT_EQ(first.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first[i].pool_index, again[i].pool_index);
    EXPECT_EQ(first[i].log_score, again[i].log_score);
  }
}

TEST(StreamedSearch, NeverSuggestsACopyOfWhatWasSuggested) {
  const Space space = box();
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < 3; ++c) numbers.push_back(static_cast<double>((i * 7 + c * 3) % 20) / 20.0);
  Options tiles = options(one_tile());
  tiles.initial_design = InitialDesign::cost_effective;
  tiles.candidates.pool = std::make_shared<const Pool>(space, numbers, rows);
  tiles.design.warm_start = 8;
  Optimizer optimizer(space, tiles);
  std::set<std::string> seen;
  std::size_t suggested = 0;
  while (!optimizer.done()) {
    for (const Suggestion& suggestion : optimizer.ask(2)) {
      ++suggested;
      seen.insert(suggestion.configuration.to_string());
      optimizer.tell(suggestion.id, evaluate_box(suggestion.configuration));
    }
  }
  EXPECT_EQ(optimizer.stop_reason(), StopReason::exhausted);
  EXPECT_EQ(suggested, 20u);
  EXPECT_EQ(seen.size(), 20u);
}

TEST(Rank, GivesAllThatAreLeftAndNothingWhereNothingIsScored) {
  const Space space{integer("k", 0, 9)};
  Options few{.budget = 100.0, .seed = 3};
  few.initial_design = InitialDesign::uniform;
  few.design.warm_start = 3;
  Optimizer optimizer(space, few);
  for (const Suggestion& suggestion : optimizer.ask(3)) {
    const double k = suggestion.configuration.real("k");
    optimizer.tell(suggestion.id, {k * k, 1.0 + k});
  }
  EXPECT_EQ(optimizer.rank(1000).size(), 7u);
  few.acquisition = Acquisition::random;
  EXPECT_TRUE(Optimizer(space, few).rank(3).empty());
}

TEST(Receipt, StatesTheSharesFinishedRefreshedAndLookedAtInFloat32) {
  Options many = options(0);
  many.candidates.count = 20000;
  Optimizer optimizer(box(), many);
  for (std::size_t i = 0; i < 120; ++i) {
    const auto at = [&](std::uint32_t c) {
      return internal::uniform(8, internal::Draw::uniform_configuration, i, c);
    };
    const Configuration configuration = optimizer.space().configuration(std::vector<double>{at(0), at(1), at(2)});
    optimizer.tell(configuration, evaluate_box(configuration));
  }
  const auto batch = optimizer.ask(4);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ASSERT_TRUE(batch[i].receipt.finished_share && batch[i].receipt.refreshed_share);
    EXPECT_GE(*batch[i].receipt.finished_share, 0.0);
    EXPECT_LE(*batch[i].receipt.finished_share, 1.0);
    EXPECT_EQ(*batch[i].receipt.refreshed_share > 0, i > 0);
    EXPECT_EQ(batch[i].receipt.low_precision_share, 0.5);  // without noise only the log cost
  }
  EXPECT_GT(*batch[0].receipt.finished_share, 0.0);
}

}  // namespace
}  // namespace carbo
