#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <carbo/carbo.hpp>

#include "cost/cost_model.hpp"
#include "support/random.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;
using enum CostModelKind;

constexpr int side = 24;

Evaluation evaluate(const Configuration& c) {
  Evaluation result = valley(c);
  result.cost = (0.5 + 6 * c.real("x") * c.real("y")) * std::exp(0.3 * std::sin(5 * c.real("y")));
  return result;
}

std::vector<double> pool_costs(const Pool& pool) {
  std::vector<double> costs;
  for (std::size_t row = 0; row < pool.size(); ++row) {
    costs.push_back(evaluate(valley_space().configuration(pool.row(row))).cost);
  }
  return costs;
}

struct NamedCost {
  std::string name;
  CostOptions cost;
  std::set<CostModelKind> kinds;  ///< that a receipt may name
};

std::vector<NamedCost> every_cost(const Pool& pool, double feature_scale = 1.0) {
  const auto xy = [feature_scale](const Configuration& c) { return feature_scale * c.real("x") * c.real("y"); };
  const std::vector<CostFeature> features{work("xy", xy)};
  const Quantity part = "1 + y";
  const std::set<CostModelKind> learned{log_gp, linear, linear_mean_gp};
  return {
      {"log_gp", {.model = log_gp}, {log_gp}},
      {"linear, relative", {.model = linear, .features = features}, {linear}},
      {"linear, absolute", {.model = linear, .features = features, .error = CostError::absolute}, {linear}},
      {"linear_mean_gp", {.model = linear_mean_gp, .features = features}, {linear_mean_gp, log_gp}},
      {"automatic", {.features = features}, learned},
      {"automatic without features", {}, learned},
      {"known by function", {.known = [](const Configuration& c) { return evaluate(c).cost; }}, {known}},
      {"known by text", {.model = known, .known = "0.5 + 6 * x * y"}, {known}},
      {"known by column", {.model = known, .known = Quantity::pool_column(pool_costs(pool))}, {known}},
      {"part of log_gp", {.model = log_gp, .known_part = part}, {log_gp}},
      {"part of linear", {.model = linear, .features = features, .known_part = part}, {linear}},
      {"part of linear_mean_gp",
       {.model = linear_mean_gp, .features = features, .known_part = part, .robust = true},
       {linear_mean_gp, log_gp}},
      {"part of automatic", {.features = features, .known_part = part}, learned},
  };
}

Options study_options(const CostOptions& cost, const std::shared_ptr<const Pool>& pool, double budget = 80) {
  Options options = small_options(budget);
  options.candidates.pool = pool;
  options.cost = cost;
  options.fantasies.count = 3;
  options.design.budget_share = 0.4;
  return options;
}

/// What a study's receipts said.
struct Seen {
  std::set<Phase> phases;
  std::size_t predicted = 0;  ///< with a cost
  std::size_t scored = 0;     ///< with scores of competing models
};

void check_receipt(const Receipt& receipt, const std::set<CostModelKind>& kinds, Seen& seen) {
  seen.phases.insert(receipt.phase);
  EXPECT_EQ(receipt.predicted_cost.has_value(), receipt.cost_model.has_value());
  EXPECT_TRUE(receipt.predicted_cost || receipt.phase == Phase::warm_start);
  std::set<CostModelKind> competed;
  for (const CostModelScore& score : receipt.cost_model_scores) {
    EXPECT_TRUE(std::isfinite(score.log_density));
    competed.insert(score.model);
  }
  EXPECT_EQ(competed.size(), receipt.cost_model_scores.size());
  EXPECT_TRUE(competed.empty() || competed.contains(log_gp));
  seen.scored += competed.empty() ? 0 : 1;
  if (!receipt.predicted_cost) return;
  ++seen.predicted;
  EXPECT_TRUE(std::isfinite(*receipt.predicted_cost) && *receipt.predicted_cost > 0);
  EXPECT_TRUE(std::isfinite(*receipt.predicted_log_cost_sd) && *receipt.predicted_log_cost_sd >= 0);
  EXPECT_TRUE(kinds.contains(*receipt.cost_model)) << to_string(*receipt.cost_model);
}

TEST(CostEngine, EveryModelServesEveryAcquisitionDesignAndBatch) {
  const auto pool = grid_pool(valley_space(), side);
  std::size_t turn = 0;
  for (const NamedCost& one : every_cost(*pool)) {
    for (const Acquisition acquisition : {Acquisition::ei_cool, Acquisition::ei_per_cost, Acquisition::ei,
                                          Acquisition::random, Acquisition::gittins, Acquisition::mes_cool}) {
      SCOPED_TRACE(one.name + ", acquisition " + std::to_string(static_cast<int>(acquisition)));
      if (sanitized && turn / 6 % 6 != turn % 6) {  // one acquisition a model
        ++turn;
        continue;
      }
      const bool from_pool = turn % 2 == 0 || internal::uses_pool_column(one.cost);
      Options options = study_options(one.cost, from_pool ? pool : nullptr, 50);
      options.acquisition = acquisition;
      options.initial_design = InitialDesign::paper;
      Optimizer optimizer(valley_space(), options);
      Seen seen;
      while (!optimizer.done()) {
        for (const Suggestion& s : optimizer.ask(1 + turn % 3)) {
          check_receipt(s.receipt, one.kinds, seen);
          optimizer.tell(s.id, evaluate(s.configuration));
        }
      }
      EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
      EXPECT_EQ(seen.phases.contains(Phase::warm_start), !one.kinds.contains(known));
      EXPECT_TRUE(seen.phases.contains(Phase::design) && seen.phases.contains(Phase::search));
      EXPECT_GT(seen.predicted, 5u);
      EXPECT_EQ(seen.scored > 0, one.kinds.size() > 1);
      ++turn;
    }
  }
}

TEST(CostEngine, TheUnitOfCostChangesNoSuggestion) {
  const auto pool = grid_pool(valley_space(), side);
  for (const NamedCost& one : every_cost(*pool)) {
    if (one.kinds.contains(known)) continue;  // a known cost is in units of its own
    SCOPED_TRACE(one.name);
    const auto run_in = [&](double factor) {
      Optimizer optimizer(valley_space(), study_options(one.cost, pool, 50 * factor));
      return run(optimizer, [&](const Configuration& c) {
        Evaluation result = evaluate(c);
        result.cost *= factor;
        return result;
      });
    };
    EXPECT_EQ(run_in(1000.0), run_in(1.0));
  }
}

TEST(CostEngine, TheUnitOfAFeatureChangesNoSuggestion) {
  const auto pool = grid_pool(valley_space(), side);
  const std::vector<NamedCost> small = every_cost(*pool), large = every_cost(*pool, 1e9);
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (small[i].cost.features.empty()) continue;
    SCOPED_TRACE(small[i].name);
    Optimizer one(valley_space(), study_options(small[i].cost, pool, 50));
    Optimizer other(valley_space(), study_options(large[i].cost, pool, 50));
    EXPECT_EQ(run(one, evaluate), run(other, evaluate));
  }
}

/// Told as prior data: every 37th row of the pool.
void teach(Optimizer& optimizer, const Pool& pool, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Configuration c = optimizer.space().configuration(pool.row(i * 37));
    optimizer.tell(c, evaluate(c));
  }
}

TEST(CostEngine, FeaturesOfAPoolAreEvaluatedOnce) {
  const auto pool = grid_pool(valley_space(), side);
  for (const CostModelKind kind : {linear}) {
    std::size_t calls = 0;
    const auto since = [&] { return std::exchange(calls, 0); };
    CostOptions cost{.model = kind};
    cost.features = {work("xy", [&calls](const Configuration& c) { return ++calls, c.real("x") * c.real("y"); })};
    Options options = study_options(cost, pool, 1e6);
    options.initial_design = InitialDesign::uniform;
    Optimizer optimizer(valley_space(), options);
    EXPECT_EQ(since(), 0u);
    teach(optimizer, *pool, 10);
    EXPECT_EQ(since(), 0u);
    const auto first = optimizer.ask(1);
    EXPECT_EQ(since(), pool->size() + 10 + 1) << "the pool, what was observed, and the suggestion";
    const auto second = optimizer.ask(2);
    EXPECT_EQ(since(), 1 + 2u) << "what runs, and the suggestions";
    optimizer.rank(7);
    EXPECT_EQ(since(), 3u) << "what runs";
    for (const Suggestion& s : second) optimizer.tell(s.id, evaluate(s.configuration));
    optimizer.withdraw(first[0].id);
    for (std::size_t known = 12; known < 20; ++known) {
      const auto next = optimizer.ask(1);
      EXPECT_EQ(since(), known + 1) << "what was observed, and the suggestion";
      optimizer.tell(next[0].id, evaluate(next[0].configuration));
    }
  }
}

TEST(CostEngine, KnownCostsAndPartsOfAPoolAreEvaluatedOnce) {
  const auto pool = grid_pool(valley_space(), side);
  for (const bool part : {false, true}) {
    std::size_t calls = 0;
    const auto cost = [&calls](const Configuration& c) { return ++calls, 1 + c.real("x"); };
    CostOptions options{.model = part ? log_gp : known};
    (part ? options.known_part : options.known) = cost;
    Optimizer optimizer(valley_space(), study_options(options, pool, 1e6));
    teach(optimizer, *pool, 10);
    optimizer.ask(1);
    EXPECT_EQ(std::exchange(calls, 0), pool->size() + (part ? 10 : 0) + 1);
    optimizer.ask(3);
    EXPECT_EQ(std::exchange(calls, 0), 1 + 3u) << "what runs, and the suggestions";
  }
}

TEST(CostEngine, PriorDataOutsideThePoolTeachTheObjectiveButNoColumn) {
  const auto pool = grid_pool(valley_space(), side);
  const std::vector<double> column = pool_costs(*pool);
  std::vector<CostOptions> all(3);
  all[0] = {.model = linear, .features = {work("column", Quantity::pool_column(column))}};
  all[1] = {.model = linear_mean_gp, .features = all[0].features};
  all[2] = {.model = log_gp, .known_part = Quantity::pool_column(column)};
  for (const CostOptions& cost : all) {
    Optimizer optimizer(valley_space(), study_options(cost, pool, 1e6));
    for (int i = 0; i < 8; ++i) {
      const Configuration c = optimizer.space().configuration(std::vector<double>{0.1 * i, 1 - 0.1 * i});
      optimizer.tell(c, {valley(c).objective, 1e5});
    }
    const Suggestion blind = optimizer.ask(1).at(0);
    EXPECT_TRUE(blind.receipt.predicted_objective);
    EXPECT_FALSE(blind.receipt.predicted_cost);
    EXPECT_TRUE(optimizer.rank(1).empty());
    optimizer.tell(blind.id, evaluate(blind.configuration));
    const Suggestion next = optimizer.ask(1).at(0);
    // One cost that the column gives exactly: costs of 1e5 from outside the pool would show.
    ASSERT_TRUE(next.receipt.predicted_cost);
    EXPECT_LT(*next.receipt.predicted_cost, 20.0);
    EXPECT_EQ(optimizer.observations().size(), 9u);
  }
}

TEST(CostEngine, PriorDataOfARowAreFoundInThePool) {
  const auto pool = grid_pool(valley_space(), side);
  const CostOptions cost{.model = linear, .features = {work("column", Quantity::pool_column(pool_costs(*pool)))}};
  Optimizer optimizer(valley_space(), study_options(cost, pool, 1e6));
  teach(optimizer, *pool, 6);
  for (const Suggestion& s : optimizer.ask(3)) {
    // The cost is its feature, so the fit is exact.
    EXPECT_NEAR(*s.receipt.predicted_cost, evaluate(s.configuration).cost, 1e-6);
  }
}

}  // namespace
}  // namespace carbo
