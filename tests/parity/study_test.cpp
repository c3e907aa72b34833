#include "support/cuda_study.hpp"

// Whole studies on the CUDA backend: the CPU's picks.
namespace carbo {
namespace {

TEST_F(CudaStudy, AutomaticTakesTheDeviceAndTheReceiptSaysWhy) {
  Study study;
  Optimizer optimizer = make(study, BackendKind::automatic);
  const Receipt receipt = optimizer.ask(1).at(0).receipt;
  EXPECT_EQ(receipt.backend, "cuda");
  EXPECT_NE(receipt.backend_reason.find("device 0"), std::string::npos) << receipt.backend_reason;
}

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
  std::size_t turn = 0;
  for (const CostOptions& model : models) {
    const CostWeight weight = turn++ % 2 == 0 ? CostWeight::median : CostWeight::moment;
    SCOPED_TRACE(testing::Message() << to_string(model.model) << ", weight " << to_string(weight));
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

}  // namespace
}  // namespace carbo
