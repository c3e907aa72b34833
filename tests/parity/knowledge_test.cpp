#include "support/cuda_study.hpp"

// What the models know, and points that the caller decides on, on the CUDA backend: as on the CPU.
namespace carbo {
namespace {

class CudaKnowledge : public CudaStudy {
 protected:
  /// With hyperparameters of the caller's, so that nothing is fitted, and a dozen results.
  static Optimizer taught(BackendKind kind) {
    Study study;
    study.options.surrogate.fixed = Hyperparameters{{0.4, 0.7}, 1.2, 1e-3, {}};
    study.options.cost.model = CostModelKind::log_gp;
    study.options.cost.surrogate.fixed = Hyperparameters{{0.6, 0.9}, 1.0, 1e-2, {}};
    Optimizer optimizer = make(study, kind);
    for (int i = 0; i < 12; ++i) {
      const std::vector<double> at{std::fmod(0.381966 * i, 1.0), std::fmod(0.723606 * i, 1.0)};
      const Configuration point = optimizer.space().configuration(at);
      optimizer.tell(point, valley(point));
    }
    return optimizer;
  }

  Optimizer cpu_ = taught(BackendKind::cpu), cuda_ = taught(BackendKind::cuda);
};

TEST_F(CudaKnowledge, PredictionsAndTheRecommended) {
  std::vector<Configuration> at;
  for (int i = 0; i < 70; ++i)
    at.push_back(cpu_.space().configuration(std::vector<double>{i / 70.0, std::fmod(0.3 * i, 1.0)}));
  const std::vector<Prediction> expected = cpu_.predict(at), found = cuda_.predict(at);
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_NEAR(found[i].objective->median, expected[i].objective->median, 1e-8);
    EXPECT_NEAR(found[i].objective->upper, expected[i].objective->upper, 1e-8);
    EXPECT_NEAR(found[i].cost->median, expected[i].cost->median, 1e-7 * expected[i].cost->median);
    EXPECT_NEAR(found[i].cost->log_standard_deviation, expected[i].cost->log_standard_deviation, 1e-8);
  }
  EXPECT_TRUE(cuda_.recommend()->configuration == cpu_.recommend()->configuration);
}

TEST_F(CudaKnowledge, SharesAndHyperparameters) {
  for (const Modelled model : {Modelled::objective, Modelled::cost}) {
    const ImportanceOptions options{.points = 128, .sequences = 3};
    const Importance expected = cpu_.importance(model, options).value();
    const Importance found = cuda_.importance(model, options).value();
    for (std::size_t p = 0; p < expected.parameters.size(); ++p) {
      EXPECT_NEAR(found.parameters[p].first_order, expected.parameters[p].first_order, 1e-6);
      EXPECT_NEAR(found.parameters[p].total, expected.parameters[p].total, 1e-6);
      EXPECT_NEAR(found.parameters[p].total_spread, expected.parameters[p].total_spread, 1e-6);
    }
  }
  const FittedModels expected = cpu_.hyperparameters(), found = cuda_.hyperparameters();
  EXPECT_NEAR(*found.objective->hyperparameters.mean, *expected.objective->hyperparameters.mean, 1e-8);
  EXPECT_EQ(found.objective->points.used, expected.objective->points.used);
}

TEST_F(CudaKnowledge, AdoptedAndEnqueuedPoints) {
  const Configuration adopted = cpu_.space().configuration(std::vector<double>{0.7, 0.3});
  const Configuration wanted = cpu_.space().configuration(std::vector<double>{0.2, 0.9});
  for (Optimizer* const one : {&cpu_, &cuda_}) {
    EXPECT_EQ(one->adopt(adopted), 0U);
    one->enqueue(wanted);
  }
  const std::vector<Suggestion> expected = cpu_.ask(1), found = cuda_.ask(1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].receipt.enqueued && found[0].configuration == wanted);
  EXPECT_NEAR(*found[0].receipt.predicted_cost, *expected[0].receipt.predicted_cost, 1e-7);
}

}  // namespace
}  // namespace carbo
