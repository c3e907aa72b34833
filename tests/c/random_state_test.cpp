#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "c/state_scene.hpp"
#include "driver/dice.hpp"
#include "support/sanitized.hpp"

// Random studies through the C ABI, one straight through beside one that is saved and restored at random steps.
namespace {

using namespace c_scene;
using carbo::test::Dice;

carbo_optimizer_options random_c_options(Dice& dice) {
  carbo_optimizer_options options = some_optimizer_options();
  options.budget = dice.uniform(15, 60);
  options.seed = dice.next();
  options.batch_size = static_cast<std::int64_t>(dice.between(1, 3));
  options.acquisition = static_cast<carbo_acquisition>(dice.below(CARBO_ACQUISITION_COUNT));
  options.initial_design = dice.one_of({CARBO_DESIGN_COST_EFFECTIVE, CARBO_DESIGN_PAPER, CARBO_DESIGN_UNIFORM});
  options.goal = dice.one_of({CARBO_MINIMIZE, CARBO_MAXIMIZE});
  options.execution = dice.one_of({CARBO_SYNCHRONOUS, CARBO_ASYNCHRONOUS});
  options.strict = dice.chance(0.2) ? 1 : 0;
  options.transform = dice.one_of({CARBO_TRANSFORM_NONE, CARBO_TRANSFORM_AUTOMATIC, CARBO_TRANSFORM_RANK,
                                   CARBO_TRANSFORM_POWER, CARBO_TRANSFORM_HALF_RANK});
  options.incumbent = dice.one_of({CARBO_LOWEST_OBSERVED, CARBO_POSTERIOR_MEAN});
  options.surrogate.estimation = dice.one_of({CARBO_MAP, CARBO_MAXIMUM_LIKELIHOOD});
  options.design.budget_share = dice.uniform(0.02, 0.3);
  options.design.warm_start = dice.one_of({-1, 0, 2});
  options.candidates.count = static_cast<std::int64_t>(dice.between(20, 120));
  options.candidates.renew = dice.chance(0.5) ? 1 : 0;
  options.candidates.local_share = options.candidates.renew == 1 ? dice.one_of({0.0, 0.3}) : 0.0;
  options.fantasies.count = static_cast<std::int64_t>(dice.between(1, 4));
  options.fantasies.mode = dice.one_of({CARBO_FANTASIES_SHARED, CARBO_FANTASIES_BATCHED});
  options.failures.penalize = dice.chance(0.7) ? 1 : 0;
  options.cost.robust = dice.chance(0.3) ? 1 : 0;
  if (dice.chance(0.3)) options.evaluation.timeout = 3;
  if (dice.chance(0.3)) options.evaluation.timeout_factor = 2;
  if (dice.chance(0.5)) {
    options.cost.unit = "s";
    options.accounting = dice.one_of({CARBO_ACCOUNTING_SUM, CARBO_ACCOUNTING_LONGEST});
  }
  if (options.accounting == CARBO_ACCOUNTING_LONGEST && options.execution == CARBO_SYNCHRONOUS)
    options.batches = dice.one_of({CARBO_BATCHES_FIXED, CARBO_BATCHES_FILL, CARBO_BATCHES_TOP_UP});
  options.pick_cost = dice.one_of({CARBO_PICK_COST_IN_ROUND, CARBO_PICK_COST_OWN});
  return options;
}

/// One study, twice: every call is made on both.
class RandomStudy {
 public:
  explicit RandomStudy(std::uint64_t seed)
      : dice_(seed), given_(calls_), options_(chosen()), straight_(options_), resumed_(options_) {}

  /// So many asks, fewer where it is over, and other calls between them.
  void run(int asks) {
    while (asks > 0 && !testing::Test::HasFailure()) {
      if (dice_.chance(0.4)) {
        resume(resumed_, &given_.options);
        ++restores;
        expect_same(pending_of(resumed_.optimizer, pending().size()),
                    pending_of(straight_.optimizer, pending().size()));
      }
      if (pending().empty() && straight_.info().stop_reason != CARBO_RUNNING) return;
      const std::size_t roll = dice_.below(20);
      if (roll < 11 && !pending().empty())
        resolve();
      else if (roll == 19)
        decide();
      else if (--asks >= 0)
        ask();
      expect_same_info();
    }
  }

  int restores = 0, searched = 0;

 private:
  carbo_optimizer_options chosen() {
    carbo_optimizer_options options = random_c_options(dice_);
    if (dice_.chance(0.5)) given_.constrain(options);
    if (dice_.chance(0.5)) given_.measure(options);
    return options;
  }

  std::vector<std::int64_t> pending() const {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(straight_.info().pending));
    std::int64_t count = 0;
    EXPECT_EQ(carbo_optimizer_pending(straight_.optimizer, ids.data(), static_cast<std::int64_t>(ids.size()), &count),
              CARBO_OK);
    return ids;
  }

  /// The same call on both has the same status.
  template <class Call>
  void both(const Call& call) {
    const carbo_status expected = call(straight_.optimizer);
    EXPECT_STREQ(carbo_status_name(call(resumed_.optimizer)), carbo_status_name(expected)) << thread_message();
  }

  void ask() {
    const auto count = static_cast<std::int64_t>(dice_.between(1, 3));
    const OptimizerScene::Asked expected = straight_.ask(count);
    expect_same(resumed_.ask(count), expected);
    for (const carbo_suggestion& one : expected.suggestions) searched += one.phase == CARBO_SEARCH ? 1 : 0;
  }

  void resolve() {
    const std::int64_t id = dice_.one_of(pending());
    const double objective = dice_.uniform(-3, 3), cost = dice_.uniform(0.05, 4);
    const std::size_t roll = dice_.below(20);
    both([&](carbo_optimizer* one) {
      if (roll < 15) return carbo_optimizer_tell(one, id, objective, cost);
      if (roll < 19) return carbo_optimizer_fail(one, id, cost, "chance", roll < 17 ? 1 : 0);
      return carbo_optimizer_withdraw(one, id);
    });
  }

  /// A point of the caller's: that others run, that is to come next, or that was seen before.
  void decide() {
    const std::vector<double> x{dice_.uniform(0, 0.89), static_cast<double>(dice_.between(1, 9)),
                                static_cast<double>(dice_.below(3))};
    carbo_observation seen{};
    seen.struct_size = sizeof seen;
    seen.origin = CARBO_PRIOR;
    seen.id = seen.batch = seen.slot = -1;
    seen.objective = dice_.uniform(-3, 3);
    seen.cost = dice_.one_of({std::nan(""), 1.5});
    const std::size_t roll = dice_.below(3);
    both([&](carbo_optimizer* one) {
      std::int64_t id = -1;
      if (roll == 0) return carbo_optimizer_adopt(one, x.data(), &id);
      if (roll == 1) return carbo_optimizer_enqueue(one, x.data());
      return carbo_optimizer_tell_observation(one, &seen, x.data(), nullptr);
    });
  }

  void expect_same_info() {
    const carbo_optimizer_info expected = straight_.info(), found = resumed_.info();
    EXPECT_EQ(found.spent, expected.spent);
    EXPECT_EQ(found.phase, expected.phase);
    EXPECT_EQ(found.stop_reason, expected.stop_reason);
    EXPECT_EQ(found.observations, expected.observations);
    EXPECT_EQ(found.pending, expected.pending);
    EXPECT_EQ(found.enqueued, expected.enqueued);
  }

  Dice dice_;
  Callbacks calls_;
  GivenAgain given_;
  carbo_optimizer_options options_;
  OptimizerScene straight_, resumed_;
};

TEST(CState, TwentyRandomStudiesGoOnFromRandomSteps) {
  int restores = 0, searched = 0;
  for (std::uint64_t seed = 1; seed <= carbo::test::cases(20); ++seed) {
    RandomStudy study(seed);
    study.run(15);
    ASSERT_FALSE(testing::Test::HasFailure()) << "study " << seed;
    restores += study.restores;
    searched += study.searched;
  }
  std::printf("%d restores, %d suggestions of the search\n", restores, searched);
  EXPECT_GT(restores, carbo::test::sanitized ? 10 : 150);
  EXPECT_GT(searched, carbo::test::sanitized ? 5 : 100);
}

}  // namespace
