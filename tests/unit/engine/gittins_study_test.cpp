#include <gtest/gtest.h>

#include <set>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// Whole studies by the Gittins index.
namespace carbo {
namespace {

using namespace test;

Options by_gittins(double lambda = 0, double decay = 0.5) {
  Options options = small_options(200);
  options.acquisition = Acquisition::gittins;
  options.acquisition_parameters.lambda = lambda;
  options.acquisition_parameters.lambda_decay = decay;
  return options;
}

/// λ of every search of a study in batches, as the receipts tell it.
std::vector<double> lambdas(const Options& options, std::size_t batch = 1) {
  Optimizer optimizer(valley_space(), options);
  std::vector<double> lambdas;
  while (!optimizer.done()) {
    const std::vector<Suggestion> asked = optimizer.ask(batch);
    std::set<double> of_ask;
    for (const Suggestion& one : asked) {
      if (one.receipt.phase == Phase::search) {
        EXPECT_FALSE(one.receipt.alpha);
        EXPECT_TRUE(one.receipt.log_score && one.receipt.acquisition_parameter);
        of_ask.insert(one.receipt.acquisition_parameter.value_or(0));
      }
      optimizer.tell(one.id, valley(one.configuration));
    }
    EXPECT_LE(of_ask.size(), 1u) << "lambda changes between asks only";
    lambdas.insert(lambdas.end(), of_ask.begin(), of_ask.end());
  }
  EXPECT_GE(lambdas.size(), 5u);
  return lambdas;
}

TEST(GittinsStudy, AFixedLambdaStaysWhatItIs) {
  for (const std::size_t batch : {1, 3})
    for (const double lambda : lambdas(by_gittins(0.01, 1), batch)) EXPECT_EQ(lambda, 0.01);
}

TEST(GittinsStudy, ALambdaThatIsTooHighIsHalvedFromAskToAskAndOneThatIsLowStays) {
  const std::vector<double> high = lambdas(by_gittins(1e6));
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(high[i], high[i - 1] / 2) << i;
  const std::vector<double> low = lambdas(by_gittins(1e-9));
  EXPECT_EQ(low[1], 1e-9);
}

/// A tenth of the objective's spread per typical cost, so that units of either change no suggestion.
TEST(GittinsStudy, WithoutALambdaUnitsDoNotMatter) {
  const auto study = [](double objective_unit, double cost_unit) {
    Options options = by_gittins();
    options.budget *= cost_unit;
    Optimizer optimizer(valley_space(), options);
    std::vector<std::string> found;
    for (int i = 0; i < 14; ++i)
      for (const Suggestion& one : optimizer.ask(2)) {
        found.push_back(one.configuration.to_string());
        const Evaluation result = valley(one.configuration);
        optimizer.tell(one.id, {result.objective * objective_unit, result.cost * cost_unit});
      }
    return found;
  };
  EXPECT_EQ(study(1, 1), study(1024, 1.0 / 64));
}

/// The best of a study that asks for batches and always leaves one running.
double best_found(Options options, std::size_t batch) {
  const double sign = options.goal == Goal::minimize ? 1 : -1;
  Optimizer optimizer(valley_space(), options);
  std::vector<Suggestion> running;
  while (!optimizer.done() || !running.empty()) {
    if (!optimizer.done())
      for (Suggestion& one : optimizer.ask(batch)) running.push_back(std::move(one));
    while (running.size() > (optimizer.done() ? 0u : 1u)) {
      const Evaluation result = valley(running.front().configuration);
      optimizer.tell(running.front().id, {sign * result.objective, result.cost});
      running.erase(running.begin());
    }
  }
  return sign * optimizer.best()->objective;
}

TEST(GittinsStudy, BeatsRandomDrawsInSequenceInBatchesAndWhileOthersRun) {
  for (const Goal goal : {Goal::minimize, Goal::maximize})
    for (const std::size_t batch : {1, 4}) {
      SCOPED_TRACE(batch);
      double by_index = 0, at_random = 0;
      for (std::uint64_t seed = 0; seed < cases(5); ++seed) {
        Options options = by_gittins();
        options.budget = 80;
        options.goal = goal;
        options.seed = seed;
        by_index += best_found(options, batch);
        options.acquisition = Acquisition::random;
        at_random += best_found(options, batch);
      }
      if (sanitized) continue;  // one seed shows no difference
      EXPECT_LT(by_index, at_random);
    }
}

/// A failure may cost nothing; what was typical is told by the others.
TEST(GittinsStudy, AFailureThatCostNothingLeavesLambdaAlone) {
  Optimizer optimizer(valley_space(), by_gittins());
  std::optional<double> lambda;
  for (int i = 0; i < 40 && !lambda; ++i)
    for (const Suggestion& one : optimizer.ask(1)) {
      lambda = one.receipt.acquisition_parameter;
      if (i == 1)
        optimizer.fail(one.id, 0, "died at once");
      else
        optimizer.tell(one.id, valley(one.configuration));
    }
  ASSERT_TRUE(lambda);
  EXPECT_GT(*lambda, 1e-6);
  EXPECT_LT(*lambda, 1e3);
}

TEST(GittinsStudy, RanksByTheSameScore) {
  Optimizer optimizer(valley_space(), by_gittins(0.01, 1));
  for (int i = 0; i < 12; ++i)
    for (const Suggestion& one : optimizer.ask(1)) optimizer.tell(one.id, valley(one.configuration));
  const std::vector<RankedCandidate> ranked = optimizer.rank(3);
  const std::vector<Suggestion> asked = optimizer.ask(1);
  ASSERT_EQ(ranked.size(), 3u);
  EXPECT_EQ(ranked[0].configuration.to_string(), asked.at(0).configuration.to_string());
  EXPECT_EQ(ranked[0].log_score, asked.at(0).receipt.log_score);
  EXPECT_GE(ranked[0].log_score, ranked[1].log_score);
}

TEST(GittinsStudy, BadParametersAndTheMomentOfTheCostAreRefused) {
  const auto refused = [](const Options& options, const std::vector<std::string>& parts) {
    expect_error<InvalidOptions>([&] { Optimizer optimizer(valley_space(), options); }, parts);
  };
  refused(by_gittins(-1), {"acquisition_parameters.lambda is -1", "from 0"});
  refused(by_gittins(NAN), {"lambda is nan"});
  refused(by_gittins(1, 0), {"lambda_decay is 0", "0.001 to 1"});
  refused(by_gittins(1, 1.5), {"lambda_decay is 1.5"});
  Options moment = by_gittins();
  moment.cost.weight = CostWeight::moment;
  refused(moment, {"cost.weight is moment", "gittins", "median or mean"});
}

}  // namespace
}  // namespace carbo
