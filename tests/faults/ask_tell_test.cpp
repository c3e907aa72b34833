#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "faults/faulted_study.hpp"
#include "support/random.hpp"

// Ask and tell while allocations fail: see FaultedStudy. A study that was disturbed goes on as one that was not.
namespace carbo::test {
namespace {

Options small_options() {
  Options options{.budget = 24.0, .batch_size = 2, .seed = 5};
  options.design.warm_start = 3;
  options.candidates.count = 24;
  return quick(std::move(options));
}

Space mixed() { return Space{real("x", 0.0, 1.0), integer("k", 1, 9), categorical("c", {"a", "b", "d"})}; }

void expect_the_same(const Transcript& undisturbed, const Transcript& disturbed) {
  EXPECT_EQ(disturbed, undisturbed);
}

/// Of a study that comes to its search; `runs`: see `sweep`.
void sweep_study(const std::string& name, const FaultedStudy::Maker& make, std::size_t rounds, std::size_t count,
                 std::uint64_t runs = cases(300), bool restored = false) {
  const auto scenario = [&] {
    FaultedStudy study(make, restored);
    const Space& space = study.optimizer().space();
    const std::vector<double> zeros(space.encoded_columns(), 0.0), ones(space.encoded_columns(), 1.0);
    const Configuration prior = space.decode(zeros), own = space.decode(ones);
    study.round(count);
    study.tell_unsuggested(prior, own);
    for (std::size_t i = 1; i < rounds && !testing::Test::HasFailure(); ++i) study.round(count);
    study.check_records();
    EXPECT_EQ(study.optimizer().phase(), Phase::search);
    return study.transcript();
  };
  const SweepFigures figures = sweep(name, scenario, expect_the_same, runs);
  EXPECT_EQ(figures.struck, figures.runs);
  EXPECT_GT(figures.runs, 0u);
}

TEST(AskTellFaults, PointsThatTheCallerDecidesOn) {
  const auto scenario = [] {
    FaultedStudy study([] { return std::pair(mixed(), small_options()); });
    const Space& space = study.optimizer().space();
    const auto at = [&](double x, double k, double c) { return space.configuration(std::vector<double>{x, k, c}); };
    study.decide(at(0.25, 2, 0), at(0.75, 7, 1));
    study.round(3);
    study.round(2);
    study.decide(at(0.5, 4, 2), at(0.125, 9, 0));
    study.round(3);
    study.check_records();
    return study.transcript();
  };
  const SweepFigures figures = sweep("adopt, enqueue and ask the models", scenario, expect_the_same, cases(300));
  EXPECT_EQ(figures.struck, figures.runs);
  EXPECT_GT(figures.runs, 0u);
}

TEST(AskTellFaults, SobolPoints) {
  sweep_study(
      "ask and tell, Sobol points", [] { return std::pair(mixed(), small_options()); }, 5, 2);
}

TEST(AskTellFaults, EnumerationWithAStrictBudgetOfTime) {
  const auto make = [] {
    Options options = small_options();
    options.strict = true;
    options.cost.unit = "s";
    options.accounting = Accounting::longest;
    options.cost.robust = true;
    options.cost.weight = CostWeight::moment;
    Space space{integer("i", 0, 5), ordinal("o", {"low", "mid", "high"})};
    space.constrain([](const Configuration& x) { return x.integer("i") != 2; }, "not 2");
    return std::pair(std::move(space), std::move(options));
  };
  sweep_study("ask and tell, enumeration", make, 4, 3);
}

TEST(AskTellFaults, RoundsWithQueues) {
  const auto make = [] {
    Options options = small_options();
    options.cost.unit = "s";
    options.accounting = Accounting::longest;
    options.batches = Batches::fill;
    return std::pair(mixed(), std::move(options));
  };
  sweep_study("ask and tell, rounds with queues", make, 5, 2);
}

TEST(AskTellFaults, PoolWithAColumnOfCosts) {
  const auto make = [] {
    const Space space{real("x", 0.0, 1.0), real("y", 0.0, 1.0)};
    std::vector<double> numbers = {0.0, 0.0, 1.0, 1.0}, costs = {1.0, 2.0};
    for (std::uint64_t row = 2; row < 40; ++row) {
      for (const std::uint32_t column : {0u, 1u})
        numbers.push_back(internal::uniform(3, internal::Draw::uniform_configuration, row, column));
      costs.push_back(0.5 + numbers.back());
    }
    Options options = small_options();
    options.initial_design = InitialDesign::points;
    options.design.points = {space.configuration(std::span(numbers).subspan(4, 2))};
    options.candidates.pool = std::make_shared<const Pool>(space, numbers, 40);
    options.cost.known = Quantity::pool_column(costs);
    return std::pair(space, std::move(options));
  };
  sweep_study("ask and tell, pool", make, 4, 2);
}

std::pair<Space, Options> everything_else() {
  Options options = small_options();
  options.execution = Execution::asynchronous;
  options.fantasies.mode = FantasyMode::batched;
  options.incumbent = Incumbent::posterior_mean;
  options.transform = Transform::rank;
  options.cost.features = {work("k"), feature("x * k")};
  options.cost.known_part = Quantity("1 + x");
  options.cost.robust = true;
  options.candidates.renew = false;
  options.candidates.allow_repeats = true;
  options.backend.threads = 3;
  return {mixed(), std::move(options)};
}

TEST(AskTellFaults, EverythingElseSwitchedOn) {
  sweep_study("ask and tell, everything switched on", everything_else, 6, 2);
}

TEST(AskTellFaults, RestoredAfterEveryFailure) {
  const auto usual = [] { return std::pair(mixed(), small_options()); };
  Optimizer::restore(Optimizer(mixed(), small_options()).save());  // what is kept for good from the first time on
  sweep_study("ask and tell, restored", usual, 5, 2, cases(150), true);
  sweep_study("ask and tell, everything switched on, restored", everything_else, 6, 2, cases(150), true);
}

TEST(StateFaults, AStateThatDoesNotFitIntoMemory) {
  const auto [space, options] = everything_else();
  Optimizer optimizer(space, options);
  for (int i = 0; i < 8; ++i)
    for (const Suggestion& one : optimizer.ask(2)) optimizer.tell(one.id, evaluate(one.configuration));
  optimizer.ask(2);
  const auto scenario = [&]() -> Transcript {
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        const allocations::Window window;
        return Optimizer::restore(optimizer.save()).save();
      } catch (const OutOfMemory&) {
        EXPECT_TRUE(attempt == 0 && allocations::struck());
      }
    }
    return "";
  };
  const SweepFigures figures = sweep("a state", scenario, expect_the_same, cases(300));
  EXPECT_EQ(figures.struck, figures.runs);
  EXPECT_GT(figures.runs, 0u);
}

TEST(AskTellFaults, StreamedCandidates) {
  const auto make = [] {
    Options options = small_options();
    options.candidates.count = 9000;
    MemoryRequest tile;
    tile.candidates = 4096;
    tile.parameters = 3;
    tile.columns = 5;
    tile.observations = 20;
    tile.fantasies = options.fantasies.count;
    tile.batch = 4;
    tile.budget = std::size_t{1} << 40;
    options.backend.memory_bytes = plan_memory(tile).total_bytes() * 5 / 4;
    return std::pair(mixed(), std::move(options));
  };
  const auto [space, options] = make();
  ASSERT_TRUE(Optimizer(space, options).memory_plan().streamed);
  sweep_study("ask and tell, streamed", make, 3, 2, cases(100));
}

TEST(PoolFaults, RowsThatDoNotFitIntoMemory) {
  const Space space{real("x", 0.0, 1.0), real("y", 0.0, 1.0)};
  const std::vector<double> numbers = {0.0, 0.5, 1.0, 0.25};
  const std::vector<Configuration> rows = {space.configuration(std::span(numbers).first(2)),
                                           space.configuration(std::span(numbers).last(2))};
  const auto scenario = [&]() -> Transcript {
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        const allocations::Window window;
        const Pool by_numbers(space, numbers, 2), by_rows(space, rows);
        return std::to_string(by_numbers.row(1)[1] + by_rows.row(1)[0]);
      } catch (const OutOfMemory&) {
        EXPECT_TRUE(attempt == 0 && allocations::struck());
      }
    }
    return "";
  };
  const SweepFigures figures = sweep("pools", scenario, expect_the_same, 1000);
  EXPECT_GT(figures.runs, 4u);
  EXPECT_EQ(figures.struck, figures.runs);
}

}  // namespace
}  // namespace carbo::test
