#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include <carbo/carbo.hpp>

#include "emulator_control.h"
#include "support/environment.hpp"
#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/toy_problems.hpp"

// Whole studies on the CUDA backend, loaded as a program loads it: the CPU's picks.
namespace carbo {
namespace {

using test::valley;
using test::valley_space;

/// Two scores nearer than this may change places by rounding: fits on the two backends end up to about 1e-8 apart.
constexpr double decided = 1e-6;

bool is_decided(const Receipt& receipt) {
  return !receipt.log_score || !receipt.runner_up_log_score ||
         *receipt.log_score - *receipt.runner_up_log_score > decided;
}

class CudaStudy : public testing::Test {
 protected:
  /// `space`, `evaluate` and `change` make a study; `keep_pending` results are told only once as many more are asked.
  struct Study {
    Space space = valley_space();
    std::function<Evaluation(const Configuration&)> evaluate = valley;
    Options options = small();
    std::size_t batch = 1;
    std::size_t keep_pending = 0;
    std::size_t least_picks = 12;
  };

  static Options small() {
    Options options = test::small_options(60);
    options.candidates.count = 200;
    options.surrogate.restarts = options.cost.surrogate.restarts = 2;
    options.fantasies.count = 3;
    options.max_evaluations = 16;
    return options;
  }

  static Optimizer make(const Study& study, BackendKind kind) {
    Options options = study.options;
    options.backend.kind = kind;
    return Optimizer(study.space, options);
  }

  static void expect_the_cpus_picks(const Study& study) {
    Optimizer cpu = make(study, BackendKind::cpu), cuda = make(study, BackendKind::cuda);
    expect_the_same_picks(study, cpu, cuda);
  }

  static void expect_the_same_picks(const Study& study, Optimizer& cpu, Optimizer& cuda) {
    std::size_t compared = 0, searched = 0;
    std::vector<std::pair<Suggestion, Suggestion>> pending;
    bool same = true;
    while (same && !cpu.done()) {
      const std::vector<Suggestion> expected = cpu.ask(study.batch), picked = cuda.ask(study.batch);
      ASSERT_EQ(picked.size(), expected.size()) << "after " << compared << " picks";
      if (expected.empty()) break;
      for (std::size_t i = 0; same && i < picked.size(); ++i, ++compared) {
        EXPECT_EQ(picked[i].receipt.backend, "cuda");
        EXPECT_EQ(picked[i].receipt.phase, expected[i].receipt.phase);
        searched += picked[i].receipt.phase == Phase::search ? 1 : 0;
        same = picked[i].configuration.to_string() == expected[i].configuration.to_string();
        ASSERT_TRUE(same || !is_decided(expected[i].receipt)) << "pick " << compared;
        pending.emplace_back(expected[i], picked[i]);
      }
      for (; pending.size() > study.keep_pending; pending.erase(pending.begin())) {
        cpu.tell(pending[0].first.id, study.evaluate(pending[0].first.configuration));
        cuda.tell(pending[0].second.id, study.evaluate(pending[0].second.configuration));
      }
    }
    EXPECT_GT(searched, 0u);
    if (same) {
      EXPECT_EQ(cuda.stop_reason(), cpu.stop_reason());
    } else {
      EXPECT_GE(compared, study.least_picks) << "picks came apart early";
    }
  }

  EnvironmentVariable library_{"CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE};
};

TEST_F(CudaStudy, OneByOne) { expect_the_cpus_picks({}); }

TEST_F(CudaStudy, InBatchesOfFour) {
  Study study;
  study.batch = study.options.batch_size = 4;
  expect_the_cpus_picks(study);
}

TEST_F(CudaStudy, WithFantasiesOfTheirOwnHyperparameters) {
  Study study;
  study.batch = study.options.batch_size = 4;
  study.options.fantasies.mode = FantasyMode::batched;
  expect_the_cpus_picks(study);
}

TEST_F(CudaStudy, AsynchronouslyWithThreePending) {
  Study study;
  study.options.execution = Execution::asynchronous;
  study.options.batch_size = 4;
  study.keep_pending = 3;
  expect_the_cpus_picks(study);
}

TEST_F(CudaStudy, WithAPosteriorMeanAsIncumbent) {
  Study study;
  study.batch = study.options.batch_size = 2;
  study.options.incumbent = Incumbent::posterior_mean;
  expect_the_cpus_picks(study);
}

TEST_F(CudaStudy, WithAStrictBudget) {
  Study study;
  study.options.strict = true;
  study.options.budget = 50;
  study.options.max_evaluations.reset();
  study.least_picks = 8;
  expect_the_cpus_picks(study);
}

TEST_F(CudaStudy, InAMixedSpace) {
  Study study;
  study.space = mixed_space();
  study.evaluate = [](const Configuration& c) {
    const double layers = static_cast<double>(c.integer("layers"));
    const double rate = std::log10(c.real("rate"));
    return Evaluation{(rate + 2) * (rate + 2) + 0.1 * layers * layers + (c.category("optimizer") == "adam" ? 0 : 1),
                      std::exp(0.2 * layers + 0.3 * c.real("shift"))};
  };
  study.batch = study.options.batch_size = 2;
  expect_the_cpus_picks(study);
}

TEST_F(CudaStudy, WithEveryCostModel) {
  const std::vector<CostFeature> features{work("x", [](const Configuration& c) { return c.real("x"); })};
  const std::vector<CostOptions> models = {
      {.model = CostModelKind::log_gp},
      {.model = CostModelKind::linear, .features = features},
      {.model = CostModelKind::linear_mean_gp, .features = features},
      {.model = CostModelKind::automatic, .features = features},
      {.model = CostModelKind::known, .known = [](const Configuration& c) { return std::exp(3 * c.real("x")); }},
      {.model = CostModelKind::log_gp, .known_part = [](const Configuration& c) { return 1 + c.real("x"); }},
  };
  for (const CostOptions& model : models)
    for (const CostWeight weight : {CostWeight::median, CostWeight::moment}) {
      SCOPED_TRACE(testing::Message() << to_string(model.model) << ", weight " << static_cast<int>(weight));
      Study study;
      study.options.cost = model;
      study.options.cost.weight = weight;
      study.options.cost.surrogate.restarts = 2;
      study.options.max_evaluations = 12;
      study.least_picks = 10;
      expect_the_cpus_picks(study);
    }
}

TEST_F(CudaStudy, InACallersPool) {
  Study study;
  study.options.candidates.pool = test::grid_pool(study.space, 13);
  study.batch = study.options.batch_size = 3;
  expect_the_cpus_picks(study);
}

/// Room on the device for one tile of 4,096 candidates: the rest passes through it, tile by tile.
TEST_F(CudaStudy, StreamedThroughATinyBudget) {
  Study study;
  study.options.candidates.count = 9000;
  study.options.initial_design = InitialDesign::uniform;
  study.options.design.warm_start = 6;
  study.options.max_evaluations = 12;
  study.batch = study.options.batch_size = 2;
  study.least_picks = 10;
  Optimizer cpu = make(study, BackendKind::cpu);
  study.options.backend.memory_bytes = std::size_t{1} << 20;
  for (;; study.options.backend.memory_bytes += std::size_t{1} << 18) {
    try {
      if (make(study, BackendKind::cuda).memory_plan().streamed) break;
    } catch (const Error&) {
      continue;  // not even one tile
    }
    FAIL() << "no budget streams: " << study.options.backend.memory_bytes;
  }
  const auto before = emulator_device_bytes();
  emulator_reset_counters();
  Optimizer cuda = make(study, BackendKind::cuda);
  expect_the_same_picks(study, cpu, cuda);
  EXPECT_LE(emulator_counter("peak device bytes") - before, study.options.backend.memory_bytes);
}

TEST_F(CudaStudy, TheSameAgainIsTheSameToTheBit) {
  Study study;
  study.batch = study.options.batch_size = 3;
  Optimizer first = make(study, BackendKind::cuda), second = make(study, BackendKind::cuda);
  while (!first.done()) {
    const auto a = first.ask(), b = second.ask();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].configuration.to_string(), b[i].configuration.to_string());
      ASSERT_EQ(a[i].receipt.log_score, b[i].receipt.log_score);
      first.tell(a[i].id, valley(a[i].configuration));
      second.tell(b[i].id, valley(b[i].configuration));
    }
  }
}

TEST_F(CudaStudy, MinimizeRunsOnIt) {
  Study study;
  study.options.backend.kind = BackendKind::cuda;
  const Result on_cuda = minimize(study.space, study.options, valley);
  study.options.backend.kind = BackendKind::cpu;
  const Result on_cpu = minimize(study.space, study.options, valley);
  ASSERT_EQ(on_cuda.observations.size(), on_cpu.observations.size());
  EXPECT_EQ(on_cuda.best->configuration.to_string(), on_cpu.best->configuration.to_string());
}

TEST_F(CudaStudy, AutomaticTakesTheDeviceAndTheReceiptSaysWhy) {
  Study study;
  Optimizer optimizer = make(study, BackendKind::automatic);
  const Receipt receipt = optimizer.ask(1).at(0).receipt;
  EXPECT_EQ(receipt.backend, "cuda");
  EXPECT_NE(receipt.backend_reason.find("device 0"), std::string::npos) << receipt.backend_reason;
}

/// Devices that cannot be used, as far as the emulator can play them.
TEST_F(CudaStudy, WhereNoDeviceCanBeUsedTheReasonIsNamed) {
  const auto expect_reason = [&](const std::string& reason) {
    expect_error<BackendUnavailable>([&] { make({}, BackendKind::cuda); }, {reason});
    const Receipt receipt = make({}, BackendKind::automatic).ask(1).at(0).receipt;
    EXPECT_EQ(receipt.backend, "cpu");
    EXPECT_NE(receipt.backend_reason.find(reason), std::string::npos) << receipt.backend_reason;
  };
  emulator_set("EMULATOR_DEVICES", "0");
  expect_reason("no CUDA device was found");
  emulator_set("EMULATOR_DEVICES", nullptr);
  emulator_set("EMULATOR_CAPABILITY", "7.0");
  expect_reason("too old");
  emulator_set("EMULATOR_CAPABILITY", nullptr);
  Study study;
  study.options.backend.device = 5;
  expect_error<BackendUnavailable>([&] { make(study, BackendKind::cuda); }, {"backend.device is 5"});
  study.options.backend.device = 1;
  EXPECT_NE(make(study, BackendKind::cuda).ask(1).at(0).receipt.backend_reason.find("device 1"), std::string::npos);
}

std::string names(const std::vector<Suggestion>& suggestions) {
  std::string names;
  for (const Suggestion& one : suggestions) names += one.configuration.to_string() + "; ";
  return names;
}

/// Whether nothing works on the device any more after an error with this message.
bool lost(const std::string& message) { return message.find("cannot be used again") != std::string::npos; }

class CudaStudyFailure : public CudaStudy, public testing::WithParamInterface<bool> {
 protected:
  /// Five results told; small, because the calls of an `ask` fail in turn.
  Optimizer prepared() const {
    Study study;
    study.options.candidates.count = 40;
    study.options.fantasies.count = 2;
    study.options.surrogate.restarts = study.options.cost.surrogate.restarts = 1;
    if (!learns_)
      study.options.surrogate.fixed = study.options.cost.surrogate.fixed = Hyperparameters{{0.4, 0.4}, 1.0, 1e-3, {}};
    study.options.initial_design = InitialDesign::uniform;
    study.options.design.warm_start = 5;
    Optimizer optimizer = make(study, BackendKind::cuda);
    for (const Suggestion& one : optimizer.ask(5)) optimizer.tell(one.id, valley(one.configuration));
    return optimizer;
  }

  /// Asks for two while the k-th call fails, and again where that threw; false where there is no k-th call.
  bool ask_with_fault(std::size_t k, const std::string& expected, std::size_t& failed) const {
    SCOPED_TRACE(testing::Message() << "call " << k);
    Optimizer optimizer = prepared();
    emulator_set_fault(("*:" + std::to_string(k)).c_str());
    std::string found, message;
    try {
      found = names(optimizer.ask(2));
    } catch (const Error& error) {
      message = error.what();
      ++failed;
    }
    const bool reached = emulator_fault_reached() != 0;
    emulator_set_fault(nullptr);
    EXPECT_EQ(optimizer.observations().size(), 5u);
    if (lost(message)) {
      EXPECT_THROW(optimizer.ask(2), DeviceError);
      return reached;
    }
    if (!message.empty()) found = names(optimizer.ask(2));
    if (message.empty() || !learns_) {
      EXPECT_EQ(found, expected) << "after: " << message;
    } else {
      EXPECT_EQ(std::count(found.begin(), found.end(), ';'), 2) << "after: " << message;
    }
    return reached;
  }

  const bool learns_ = GetParam();
};

/// An `ask` that fails on the device changes nothing: asked again, it suggests what it would have. Where
/// hyperparameters are learned, it may suggest something else, because the next fit starts where the last one got to.
TEST_P(CudaStudyFailure, AnAskThatFailedCanBeAskedAgain) {
  const std::string expected = names(prepared().ask(2));
  std::size_t failed = 0;
  for (std::size_t k = 1; ask_with_fault(k, expected, failed) && !HasFailure(); k += 1 + k / 4) continue;
  EXPECT_GT(failed, 10u);
}

INSTANTIATE_TEST_SUITE_P(Models, CudaStudyFailure, testing::Bool(),
                         [](const auto& info) { return info.param ? std::string("Learned") : std::string("Fixed"); });

}  // namespace
}  // namespace carbo
