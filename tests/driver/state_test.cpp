#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "driver/resumed_study.hpp"
#include "support/sanitized.hpp"
#include "support/tree_reader.hpp"

// A study that is saved and restored before every call goes on as if it had not been.
namespace carbo::test {
namespace {

Options small_options() {
  Options options{.budget = 1000.0, .batch_size = 2, .seed = 3};
  options.candidates.count = 40;
  options.fantasies.count = 3;
  options.surrogate.restarts = options.cost.surrogate.restarts = 1;
  options.backend = {.kind = BackendKind::cpu, .threads = 1, .memory_bytes = std::size_t{1} << 30};
  options.design.budget_share = 0.001;
  options.design.warm_start = 2;
  return options;
}

Space small_space() {
  return Space{real("x", 0.0, 1.0), real("rate", 1e-4, 1.0).log(), categorical("colour", {"red", "green", "blue"})};
}

/// Returns the last state.
internal::Tree expect_resumed(const Options& options, std::size_t prior, std::size_t calls,
                              const Space& space = small_space()) {
  ResumedStudy study(space, options, given_again(space, options), options.seed);
  study.tell_prior(prior);
  study.run(calls);
  EXPECT_GT(study.searched(), 0u);
  return internal::parse_tree(study.resumed().save());
}

std::size_t elements(const internal::TreeReader& reader, const char* key) {
  const auto found = reader.find(key);
  return found ? found->elements().size() : 0;
}

TEST(State, FiftyRandomStudiesGoOnFromEveryCall) {
  std::size_t restores = 0, searched = 0;
  for (std::uint64_t seed = 1; seed <= cases(50); ++seed) {
    Dice dice(seed);
    const Space space = random_space(dice);
    Options options = random_options(dice, space, {});
    options.backend.threads = 1;
    options.budget *= 2;
    if (dice.chance(0.3)) options.evaluation.timeout = 3.0;
    if (dice.chance(0.3)) options.evaluation.timeout_factor = 2.0;
    try {
      ResumedStudy study(space, options, given_again(space, options), seed);
      if (dice.chance(0.4)) study.tell_prior(dice.between(1, 12));
      study.run(25);
      restores += study.restores();
      searched += study.searched();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "study " << seed << ": " << error.what();
    }
  }
  std::printf("%zu restores, %zu suggestions of the search\n", restores, searched);
  EXPECT_GT(restores, cases(700));
  EXPECT_GT(searched, cases(200));
}

TEST(State, RowsThatWereAppendedStayAppended) {
  for (const bool robust : {false, true}) {
    Options options = small_options();
    options.cost.robust = robust;
    options.cost.features = {feature("x"), work("rate")};
    const internal::Tree state = expect_resumed(options, 140, 14);
    const auto factor = internal::TreeReader(state).at("models").at("objective").at("factor");
    EXPECT_LT(elements(factor, "order"), factor.get<std::uint64_t>("rows"));
  }
}

TEST(State, ModelsOfASubset) {
  for (const FantasyMode mode : {FantasyMode::shared, FantasyMode::batched}) {
    Options options = small_options();
    options.surrogate.max_points = options.cost.surrogate.max_points = 64;
    options.fantasies.mode = mode;
    options.cost.model = mode == FantasyMode::shared ? CostModelKind::log_gp : CostModelKind::linear_mean_gp;
    options.cost.features = {feature("x")};
    const internal::Tree state = expect_resumed(options, 90, 14);
    const auto objective = internal::TreeReader(state).at("models").at("objective");
    EXPECT_GT(elements(objective, "chosen_rows"), 0u);
    EXPECT_GT(elements(objective, "background_weights"), 0u);
  }
}

TEST(State, StreamedCandidates) {
  Options options = small_options();
  options.candidates.count = 9000;
  options.backend.memory_bytes = 3200000;
  options.design.budget_share = 0.01;
  const internal::Tree state = expect_resumed(options, 0, 40);
  EXPECT_TRUE(internal::TreeReader(state).at("candidates").get<bool>("streamed"));
}

TEST(State, AStreamedEnumerationDrawnFromAtRandom) {
  Options options = small_options();
  options.acquisition = Acquisition::random;
  options.backend.memory_bytes = 3200000;
  options.candidates.enumeration_limit = 20000;
  const internal::Tree state = expect_resumed(options, 0, 24, Space{integer("a", 1, 100), integer("b", 1, 150)});
  EXPECT_TRUE(internal::TreeReader(state).at("candidates").find("resident"));
}

TEST(State, TheCallersPointsAndAPoolWithColumns) {
  const Space space = small_space();
  Options options = small_options();
  std::vector<Configuration> rows;
  std::vector<double> column;
  for (int i = 0; i < 60; ++i) {
    rows.push_back(space.configuration(std::vector<double>{i / 59.0, std::pow(10.0, -i / 20.0), double(i % 3)}));
    column.push_back(1.0 + i);
  }
  options.candidates.pool = std::make_shared<const Pool>(space, rows);
  options.initial_design = InitialDesign::points;
  options.design.points = {rows[7], rows[3], rows[50]};
  options.cost.features = {work("size", Quantity::pool_column(column))};
  expect_resumed(options, 0, 30, space);
}

TEST(State, ReadyMadeFeatures) {
  Options options = small_options();
  options.cost.features = mlp_features({{"8", "16 * x", 2}, "rate * 100", 32});
  options.cost.known_part = "1 + x";
  expect_resumed(options, 6, 20);
}

TEST(State, ResultsOfThisRunThatNobodySuggested) {
  for (const Execution execution : {Execution::synchronous, Execution::asynchronous}) {
    Options options = small_options();
    options.execution = execution;
    options.budget = 30;
    const Space space = small_space();
    Optimizer straight(space, options);
    for (std::uint64_t i = 0; i < 8; ++i) {
      Observation seen;
      seen.configuration = space.configuration(std::vector<double>{0.1 * double(i), 0.5, 1.0});
      seen.objective = std::sin(double(i));
      seen.cost = 1.0 + double(i % 3);
      seen.batch = i / 2;
      seen.slot = i % 2;
      straight.tell(seen);
      Optimizer resumed = Optimizer::restore(straight.save());
      EXPECT_EQ(resumed.spent(), straight.spent());
      EXPECT_EQ(resumed.phase(), straight.phase());
      EXPECT_EQ(resumed.save(), straight.save());
    }
  }
}

}  // namespace
}  // namespace carbo::test
