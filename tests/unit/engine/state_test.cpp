#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A few evaluations in, with two that run.
Optimizer begun(const Space& space, const Options& options) {
  Optimizer optimizer(space, options);
  for (int i = 0; i < 5; ++i)
    for (const Suggestion& one : optimizer.ask(2)) optimizer.tell(one.id, valley(one.configuration));
  optimizer.ask(2);
  return optimizer;
}

TEST(State, WhatRunsIsThereWithItsReceipts) {
  const Optimizer before = begun(valley_space(), small_options(100));
  const Optimizer after = Optimizer::restore(before.save());
  ASSERT_EQ(before.pending_suggestions().size(), 2u);
  ASSERT_EQ(after.pending_suggestions().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(to_json(after.pending_suggestions()[i]), to_json(before.pending_suggestions()[i]));
  EXPECT_EQ(after.observations().size(), 10u);
  EXPECT_EQ(after.best()->objective, before.best()->objective);
  EXPECT_EQ(after.warnings(), before.warnings());
  EXPECT_EQ(after.options().seed, before.options().seed);
  EXPECT_EQ(after.save(), before.save());
}

TEST(State, AnotherBuildOrLevelIsAWarning) {
  const std::string state = begun(valley_space(), small_options(100)).save();
  EXPECT_TRUE(Optimizer::restore(state).warnings().empty());
  const Optimizer other_build = Optimizer::restore(replaced(state, "\"build\": \"carbo ", "\"build\": \"carbo 9."));
  ASSERT_EQ(other_build.warnings().size(), 1u);
  EXPECT_NE(other_build.warnings()[0].find("carbo 9."), std::string::npos);
  const Optimizer other_level = Optimizer::restore(replaced(state, "\"machine\": \"cpu ", "\"machine\": \"cpu x"));
  ASSERT_EQ(other_level.warnings().size(), 1u);
  EXPECT_NE(other_level.warnings()[0].find("cpu x"), std::string::npos);
}

TEST(State, CodeIsNamedAndGivenAgain) {
  Space space = valley_space();
  const auto allowed = [](const Configuration& x) { return x.numbers()[0] >= 0; };
  space.constrain(allowed, "right half").constrain(allowed, "right half");
  Options options = small_options(100);
  const auto price = [](const Configuration&) { return 1.0; };
  options.cost.known_part = price;
  options.cost.features = {feature("steps", "3"), feature(price)};
  const std::string state = Optimizer(space, options).save();
  expect_error<InvalidState>([&] { Optimizer::restore(state); },
                             {"'right half'", "'right half (2)'", "cost.known_part", "cost.features[1]"});
  RestoreOptions given;
  given.constraints = {{"right half", allowed}, {"right half (2)", allowed}};
  given.quantities = {{"cost.known_part", price}};
  expect_error<InvalidState>([&] { Optimizer::restore(state, given); }, {"cost.features[1]"});
  given.quantities.emplace("cost.features[1]", price);
  Optimizer restored = Optimizer::restore(state, given);
  EXPECT_EQ(restored.space().constraint_names(), space.constraint_names());
  EXPECT_EQ(restored.save(), state);
  EXPECT_EQ(restored.ask(2).size(), 2u);
  given.quantities.emplace("cost.known", price);
  expect_error<InvalidOptions>([&] { Optimizer::restore(state, given); }, {"'cost.known'", "quantities"});
}

TEST(State, ALargePoolIsGivenAgainAndChecked) {
  const Space space = valley_space();
  const std::size_t rows = 40000;
  std::vector<double> numbers, prices;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> unit = {(double(i) + 0.5) / double(rows), double(i % 100) / 100.0}, row(2);
    space.from_unit(unit, row);
    numbers.insert(numbers.end(), row.begin(), row.end());
    prices.push_back(1.0 + double(i % 7));
  }
  Options options = small_options(100);
  options.candidates.pool = std::make_shared<const Pool>(space, numbers, rows);
  options.cost.known = Quantity::pool_column(prices);
  Optimizer straight(space, options);
  straight.ask(1);
  const std::string state = straight.save();
  expect_error<InvalidState>([&] { Optimizer::restore(state); }, {"the pool of 40000 rows"});
  numbers[7] += 1e-9;
  RestoreOptions given;
  given.pool = std::make_shared<const Pool>(space, numbers, rows);
  expect_error<InvalidState>([&] { Optimizer::restore(state, given); }, {"/pool", "same rows"});
  given.pool = options.candidates.pool;
  Optimizer restored = Optimizer::restore(state, given);
  EXPECT_EQ(restored.ask(1).at(0).pool_index, straight.ask(1).at(0).pool_index);
  expect_error<InvalidOptions>([&] { Optimizer::restore(Optimizer(space, small_options(100)).save(), given); },
                               {"pool"});
}

TEST(State, TheClockStandsStillInBetweenUnlessAskedOtherwise) {
  Options options = small_options(1000);
  options.accounting = Accounting::wall_clock;
  Optimizer before(valley_space(), options);
  before.ask(1);
  const std::string state = before.save();
  const double spent = before.spent();
  const std::size_t at = state.find("\"saved_at\": ") + 12;
  const double saved_at = std::stod(state.substr(at));
  const std::string earlier =
      replaced(state, state.substr(at, state.find(',', at) - at), std::to_string(saved_at - 500.0));
  const Optimizer still = Optimizer::restore(earlier);
  EXPECT_LT(still.spent(), spent + 100);
  RestoreOptions counting;
  counting.count_time_between = true;
  const Optimizer counted = Optimizer::restore(earlier, counting);
  EXPECT_GT(counted.spent(), 499.0);
  EXPECT_LT(counted.spent(), 900.0);
}

TEST(State, AnotherBackendMayBeChosen) {
  const std::string state = begun(valley_space(), small_options(100)).save();
  RestoreOptions given;
  given.backend = BackendOptions{.kind = BackendKind::cpu, .threads = 3};
  Optimizer three = Optimizer::restore(state, given);
  EXPECT_EQ(three.options().backend.threads, 3u);
  EXPECT_GT(three.options().backend.memory_bytes, 0u);
  Optimizer one = Optimizer::restore(state);
  EXPECT_EQ(three.ask(1).at(0).configuration, one.ask(1).at(0).configuration);
}

TEST(State, AStateOfTheFirstVersionIsRead) {
  std::ifstream file(CARBO_TEST_DATA "/state_v1.json");
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  RestoreOptions given;
  given.constraints["not both large"] = [](const Configuration& x) { return x.real("x") + x.real("y") < 1.5; };
  given.quantities.emplace("cost.features[1]", [](const Configuration& x) { return x.real("y"); });
  Optimizer restored = Optimizer::restore(text.str(), given);
  EXPECT_EQ(restored.observations().size(), 17u);
  EXPECT_EQ(restored.pending().size(), 2u);
  EXPECT_EQ(restored.phase(), Phase::search);
  EXPECT_NEAR(restored.spent(), 25.75, 1e-9);
  EXPECT_EQ(restored.ask(1).size(), 1u);
}

TEST(State, OneOfANewerVersionIsRefused) {
  const std::string state = begun(valley_space(), small_options(100)).save();
  expect_error<InvalidState>([&] { Optimizer::restore(replaced(state, "\"version\": 1", "\"version\": 2")); },
                             {"/version", "version 2", "version 1"});
  expect_error<InvalidState>([&] { Optimizer::restore(replaced(state, "carbo optimizer", "another")); }, {"/format"});
  expect_error<InvalidState>([&] { Optimizer::restore(replaced(state, "\"draws\"", "\"lots\"")); },
                             {"/run", "draws"});
  expect_error<InvalidState>([&] { Optimizer::restore(replaced(state, "\"run\": {", "\"run\": {\"later\": 1, ")); },
                             {"/run/later"});
  expect_error<InvalidState>([&] { Optimizer::restore(replaced(state, "\"ei_cool\"", "\"ei_hot\"")); },
                             {"/options/acquisition", "'ei_hot'", "ei_cool"});
  expect_error<InvalidState>([&] { Optimizer::restore(replaced(state, "\"budget\": 100", "\"budget\": -100")); },
                             {"/options", "budget"});
}

TEST(State, SavesOfOneThatWasMovedFrom) {
  Optimizer from = begun(valley_space(), small_options(100));
  Optimizer to = std::move(from);
  EXPECT_THROW(from.save(), InvalidOptions);
  EXPECT_FALSE(to.save().empty());
}

}  // namespace
}  // namespace carbo
