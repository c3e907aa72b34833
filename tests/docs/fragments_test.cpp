// The fragments of C++ in README.md and docs, each with what its page takes for granted round it; extract.py writes
// them to <page>_<n>.inc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>
#include <carbo/dlpack.hpp>

#include "support/dlpack_tensor.hpp"

namespace {

/// What a page shows as printed.
std::string shown(const std::string& name) {
  std::ifstream file(std::string(CARBO_DOCS_BLOCKS "/") + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

carbo::Space network() {
  return carbo::Space{carbo::integer("units1", 10, 300), carbo::integer("units2", 10, 300),
                      carbo::integer("epochs", 1, 20)};
}

carbo::Space learner() {
  return carbo::Space{carbo::real("learning_rate", 1e-4, 1.0).log(), carbo::integer("layers", 1, 8)};
}

TEST(Docs, Space) {
#include "space_1.inc"
  EXPECT_EQ(space.parameters().size(), 5U);
  const auto allowed = [&](std::int64_t layers, double batch) {
    return space.allows(space.configuration(
        {{"learning_rate", 0.1}, {"layers", layers}, {"optimizer", "adam"}, {"precision", "low"}, {"batch", batch}}));
  };
  EXPECT_TRUE(allowed(8, 64));
  EXPECT_FALSE(allowed(5, 128));
}

TEST(Docs, MappedPool) {
  const carbo::Space space = learner();
  const std::vector<double> rows = {0.1, 1, 0.01, 2, 0.001, 3};
  std::ofstream("designs.f64", std::ios::binary)
      .write(reinterpret_cast<const char*>(rows.data()), static_cast<std::streamsize>(rows.size() * sizeof(double)));
  carbo::Options options{.budget = 10.0};
  testing::internal::CaptureStdout();
  {
#include "space_2.inc"
    EXPECT_EQ(optimizer.memory_plan().candidates, 3U);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout().rfind("3 candidates", 0), 0U);
  std::remove("designs.f64");
}

TEST(Docs, CostFeatures) {
  carbo::Options options{.budget = 10.0};
#include "cost_1.inc"
  EXPECT_EQ(options.cost.features.size(), 2U);
  EXPECT_NO_THROW(carbo::Optimizer(network(), options));
}

TEST(Docs, CostFeaturesOfANetwork) {
  carbo::Options options{.budget = 10.0};
#include "cost_2.inc"
  EXPECT_EQ(options.cost.features.size(), 2U);  // products and activations
  EXPECT_NO_THROW(carbo::Optimizer(network(), options));
}

TEST(Docs, CostExpressionThatIsWrong) {
  carbo::Options options{.budget = 10.0};
  options.cost.features = {carbo::work("units1 * unitz")};
  try {
    const carbo::Optimizer optimizer(network(), options);
    FAIL();
  } catch (const carbo::InvalidOptions& error) {
    EXPECT_EQ(std::string(error.what()) + "\n", shown("cost_text_1.txt"));
  }
}

/// A training run whose every epoch takes ten seconds.
class Training {
 public:
  explicit Training(const carbo::Configuration& x)
      : epochs_(static_cast<int>(x.integer("layers"))), error_(std::abs(std::log10(x.real("learning_rate")) + 2)) {}
  bool done() const { return trained_ == epochs_; }
  void epoch() { ++trained_; }
  double seconds() const { return 10.0 * trained_; }
  double error() const { return error_; }

 private:
  int epochs_;
  int trained_ = 0;
  double error_;
};

TEST(Docs, ClosedLoop) {
  const carbo::Space space = learner();
  carbo::Options options{.budget = 300.0, .accounting = carbo::Accounting::sum};
  const carbo::Result earlier = carbo::minimize(
      space, {.budget = 100.0, .accounting = carbo::Accounting::sum}, [](const carbo::Configuration& x) {
        return carbo::Evaluation{std::abs(std::log10(x.real("learning_rate")) + 2), 20.0};
      });
  testing::internal::CaptureStdout();
  double spent = 0;
  std::size_t evaluations = 0;
  {
#include "optimizer_1.inc"
    EXPECT_EQ(result.stop_reason, carbo::StopReason::budget) << result.error;
    spent = result.spent;
    evaluations = result.observations.size();
  }
  EXPECT_GE(spent, 300.0);
  EXPECT_GT(evaluations, earlier.observations.size());
  EXPECT_NE(testing::internal::GetCapturedStdout().find("of 300 s spent"), std::string::npos);
}

/// Loses every third run.
class Cluster {
 public:
  std::optional<carbo::Evaluation> run(const carbo::Configuration& x) {
    if (++runs_ % 3 == 0) return std::nullopt;
    return carbo::Evaluation{x.real("learning_rate"), x.real("layers")};
  }
  double seconds() const { return 0.5; }

 private:
  int runs_ = 0;
};

TEST(Docs, AskAndTell) {
  const carbo::Space space = learner();
  const carbo::Options options{.budget = 100.0, .batch_size = 4};
  Cluster cluster;
#include "optimizer_2.inc"
  EXPECT_EQ(optimizer.observations().size(), 5U);
  EXPECT_EQ(
      std::ranges::count(optimizer.observations(), carbo::ObservationStatus::failed, &carbo::Observation::status), 1);
  EXPECT_TRUE(optimizer.pending().empty());
}

/// What the pages on points of others and on the models have at hand.
struct Tuning {
  Tuning() {
    for (int i = 0; i < 6; ++i)
      for (const carbo::Suggestion& next : optimizer.ask(2)) optimizer.tell(next.id, train(next.configuration));
  }
  static carbo::Evaluation train(const carbo::Configuration& x) {
    const double rate = std::log10(x.real("learning_rate"));
    return {0.1 + 0.02 * (rate + 2) * (rate + 2), 1.0 + 0.1 * static_cast<double>(x.integer("layers"))};
  }
  carbo::Configuration with(double rate, int layers) const {
    return optimizer.space().configuration({{"learning_rate", rate}, {"layers", layers}});
  }

  carbo::Optimizer optimizer{learner(), {.budget = 100.0}};
};

TEST(Docs, PointsThatOthersRun) {
  Tuning tuning;
  carbo::Optimizer& optimizer = tuning.optimizer;
  const auto train = Tuning::train;
  const carbo::Configuration running_elsewhere = tuning.with(0.02, 3), hunch = tuning.with(0.005, 5);
#include "optimizer_7.inc"
  EXPECT_TRUE(batch.at(0).receipt.enqueued && batch[0].configuration == hunch);
  EXPECT_FALSE(batch.at(1).receipt.enqueued);
  EXPECT_EQ(optimizer.observations().size(), 15U);
  EXPECT_TRUE(optimizer.pending().empty());
}

TEST(Docs, WhatTheModelsKnow) {
  Tuning tuning;
  carbo::Optimizer& optimizer = tuning.optimizer;
  const carbo::Configuration default_setup = tuning.with(0.1, 2), hunch = tuning.with(0.005, 5);
  testing::internal::CaptureStdout();
  {
#include "optimizer_8.inc"
    EXPECT_GT(importance.parameters[0].total, importance.parameters[1].total);
  }
  const std::string printed = testing::internal::GetCapturedStdout();
  for (const char* const part : {"error 0.1", "use learning_rate=", "learning_rate: ", "layers: "})
    EXPECT_NE(printed.find(part), std::string::npos) << printed;
}

carbo::Evaluation train_a_learner(const carbo::Configuration& x) {
  const double rate = std::log10(x.real("learning_rate"));
  return {0.1 + 0.02 * (rate + 2) * (rate + 2), 2.0 + static_cast<double>(x.integer("layers"))};
}

TEST(Docs, TheInitialDesign) {
#include "optimizer_3.inc"
  const carbo::Result result = carbo::minimize(learner(), options, train_a_learner);
  const auto of = [&](carbo::Phase phase) {
    return std::ranges::count(result.observations, phase, &carbo::Observation::phase);
  };
  EXPECT_EQ(of(carbo::Phase::warm_start), 2);
  EXPECT_GT(of(carbo::Phase::search), 10);
  EXPECT_EQ(result.suggestions.back().receipt.design_end, carbo::DesignEnd::share);
}

TEST(Docs, Cooling) {
#include "optimizer_4.inc"
  const carbo::Result result = carbo::minimize(learner(), options, train_a_learner);
  double began = -1;
  for (const carbo::Suggestion& s : result.suggestions) {
    if (!s.receipt.alpha) continue;
    if (began < 0) began = s.receipt.spent;
    EXPECT_NEAR(*s.receipt.alpha, std::sqrt((300 - s.receipt.spent) / (300 - began)), 1e-12);
  }
  EXPECT_GE(began, 0.0);
}

TEST(Docs, TheGittinsIndex) {
#include "optimizer_5.inc"
  const carbo::Result result = carbo::minimize(learner(), options, train_a_learner);
  EXPECT_EQ(result.stop_reason, carbo::StopReason::budget) << result.error;
  ASSERT_TRUE(result.best);
  EXPECT_LT(result.best->objective, 0.11);
}

TEST(Docs, KnowingWhenToStop) {
#include "optimizer_6.inc"
  const carbo::Result result = carbo::minimize(learner(), options, [](const carbo::Configuration& x) {
    const double rate = std::log10(x.real("learning_rate"));
    return carbo::Evaluation{0.1 + 0.02 * (rate + 2) * (rate + 2), 20.0 + static_cast<double>(x.integer("layers"))};
  });
  EXPECT_EQ(result.stop_reason, carbo::StopReason::price) << result.error;
  ASSERT_TRUE(result.best);
  EXPECT_LT(result.best->objective, 0.11);
  EXPECT_LT(result.spent, 3600);
}

TEST(Docs, PickCost) {
#include "optimizer_9.inc"
  carbo::Optimizer optimizer(learner(), options);
  EXPECT_EQ(optimizer.options().pick_cost, carbo::PickCost::own);
  EXPECT_EQ(optimizer.ask().size(), 7U);
}

TEST(Docs, Rounds) {
  const carbo::Space space = learner();
  carbo::Options options{.budget = 300.0, .batch_size = 3};
  const auto train = [](const carbo::Configuration& x) {
    return carbo::Evaluation{x.real("learning_rate"), x.real("layers")};
  };
#include "optimizer_10.inc"
  EXPECT_EQ(queues.back().size(), 1U) << "nothing is known of costs yet";
  EXPECT_EQ(optimizer.observations().size(), 3U);
}

TEST(Docs, State) {
  const carbo::Space space = learner();
  const auto train = [](const carbo::Configuration& x) {
    return carbo::Evaluation{.objective = x.real("learning_rate"), .cost = x.real("layers")};
  };
  carbo::Options options{.budget = 60.0};
  options.cost.features = {carbo::work("layers"), carbo::feature([](const carbo::Configuration&) { return 1.0; })};
  carbo::Optimizer optimizer(carbo::Space(space).constrain([](const carbo::Configuration&) { return true; }, "fits"),
                             options);
  for (const carbo::Suggestion& next : optimizer.ask(2)) optimizer.tell(next.id, train(next.configuration));
  optimizer.ask(2);
  const auto fits = [](const carbo::Configuration&) { return true; };
  const auto memory = [](const carbo::Configuration&) { return 1.0; };
  const std::string path = testing::TempDir() + "carbo_state.json";
#include "state_1.inc"
  EXPECT_TRUE(restored.pending().empty());
  EXPECT_EQ(restored.observations().size(), 4u);
  EXPECT_EQ(restored.ask(1).at(0).id, 4u);
#include "state_2.inc"
  EXPECT_EQ(again.configuration, seen.configuration);
}

TEST(Docs, Errors) {
  const carbo::Space space = learner();
  testing::internal::CaptureStdout();
  {
#include "errors_1.inc"
  } EXPECT_EQ(testing::internal::GetCapturedStdout(), shown("errors_text_1.txt"));
}

struct Library {
  Library() : designs(600), tried(10), objectives(10), costs(10) {
    for (std::size_t i = 0; i < designs.size(); ++i)
      designs[i] = std::fmod(static_cast<double>(i) * std::numbers::phi, 1.0);
    std::iota(tried.begin(), tried.end(), 0);
    for (std::size_t i = 0; i < tried.size(); ++i) {
      objectives[i] = designs[3 * i];
      costs[i] = 1 + designs[3 * i + 1];
    }
  }
  std::vector<double> designs;
  std::vector<std::int64_t> tried;
  std::vector<double> objectives, costs;
};

TEST(Docs, Selector) {
  const auto [designs, tried, objectives, costs] = Library();
#include "selector_1.inc"
  const std::set<std::int64_t> rows(picked.begin(), picked.end());
  EXPECT_EQ(rows.size(), 8U);
  EXPECT_GE(*rows.begin(), 10);  // none that was tried
  EXPECT_LT(*rows.rbegin(), 200);
  EXPECT_EQ(selector.running(), 8U);
}

TEST(Docs, Dlpack) {
  Library library;
  carbo::test::DlpackTensor pool(library.designs.data(), {200, 3});
  const DLManagedTensor* const tensor = pool.unversioned();
  carbo::Selector selector({.columns = 3});
  selector.append({.points = carbo::host_rows(library.designs.data(), 10, 3),
                   .objectives = carbo::host_values(library.objectives.data(), 10),
                   .costs = carbo::host_values(library.costs.data(), 10)});
#include "selector_4.inc"
  EXPECT_EQ(selector.pool_size(), 200U);
  auto& received = carbo::test::seen(scores);
  EXPECT_EQ(received.tensor.shape[0], 200);
  received.deleter(&received);
}

}  // namespace

extern "C" int documented_selector_in_c();  // fragments.c
extern "C" int documented_optimizer_in_c();
extern "C" int documented_state_in_c();

TEST(Docs, SelectorInC) { EXPECT_EQ(documented_selector_in_c(), 1); }

TEST(Docs, OptimizerInC) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(documented_optimizer_in_c(), 0);
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_NE(printed.find("optimizer=adam"), std::string::npos) << printed;
}

TEST(Docs, StateInC) { EXPECT_EQ(documented_state_in_c(), 1); }
