#include <gtest/gtest.h>

#include <memory>

#include <carbo/carbo.hpp>
#include <carbo/selector.hpp>

#include "support/selector_scene.hpp"

// A selector beside an optimizer that has the same pool, data and hyperparameters.
namespace carbo {
namespace {

using namespace test;

Optimizer optimizer_for(const SelectorScene& scene, InitialDesign initial_design) {
  const SelectorOptions selector = SelectorScene::options();
  const Space space{real("x0", 0, 1), real("x1", 0, 1), real("x2", 0, 1)};
  Options options;
  options.budget = 1e6;
  options.seed = selector.seed;
  options.initial_design = initial_design;
  options.design.warm_start = 0;
  options.surrogate = selector.surrogate;
  options.fantasies = selector.fantasies;
  options.backend = selector.backend;
  options.incumbent = selector.incumbent;
  options.candidates.pool = std::make_shared<Pool>(space, scene.flat_pool, scene.pool.size());
  options.cost.model = CostModelKind::known;
  options.cost.known = Quantity::pool_column(scene.pool_costs);
  return Optimizer(space, options);
}

Selector selector_for(const SelectorScene& scene) {
  Selector selector(SelectorScene::options());
  selector.set_pool(scene.known_cost_pool());
  return selector;
}

TEST(SelectorAndOptimizer, DesignTheSameRows) {
  const SelectorScene scene(90);
  Optimizer optimizer = optimizer_for(scene, InitialDesign::paper);
  Selector selector = selector_for(scene);
  for (int round = 0; round < 3; ++round) {
    const std::vector<Suggestion> asked = optimizer.ask(2);
    const std::vector<std::int64_t> rows = design(selector, {.count = 2});
    ASSERT_EQ(asked.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(asked[i].receipt.phase, Phase::design);
      ASSERT_EQ(rows[i], static_cast<std::int64_t>(asked[i].pool_index.value())) << "round " << round;
      const auto row = static_cast<std::size_t>(rows[i]);
      const double objective = some_objective(scene.pool[row]);
      optimizer.tell(asked[i].id, {objective, scene.pool_costs[row]});
      selector.append({.rows = host_indices(&rows[i], 1), .objectives = host_values(&objective, 1)});
    }
  }
}

TEST(SelectorAndOptimizer, ScoreAndPickTheSameRows) {
  const SelectorScene scene(90);
  Optimizer optimizer = optimizer_for(scene, InitialDesign::uniform);
  Selector selector = selector_for(scene);
  for (std::size_t i = 0; i < scene.tried.size(); ++i)
    optimizer.tell(optimizer.space().configuration(scene.tried[i]), {scene.objectives[i], scene.costs[i]});
  selector.append(scene.observations());
  const std::vector<double> scores = dense_scores(selector);
  const std::vector<RankedCandidate> ranked = optimizer.rank(scene.pool.size());
  ASSERT_EQ(ranked.size(), scene.pool.size());
  for (const RankedCandidate& one : ranked)
    EXPECT_NEAR(one.log_score, scores[one.pool_index.value()], score_tolerance * (1 + std::abs(one.log_score)));
  const std::vector<Suggestion> asked = optimizer.ask(3);
  const Picked picked = suggest(selector, {.count = 3});
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0].receipt.phase, Phase::search);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(picked.rows[i], static_cast<std::int64_t>(*asked[i].pool_index));
}

}  // namespace
}  // namespace carbo
