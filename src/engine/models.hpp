#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/optimizer.hpp>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "engine/history.hpp"
#include "gp/surrogate.hpp"
#include "gp/transform.hpp"

namespace carbo::internal {

/// Prediction of the objective in the caller's units, and its spread in the model's.
struct ObjectivePrediction {
  double median = 0;
  double standard_deviation = 0;
};

/// The two surrogates, brought up to date together so that their fits share batched calls.
class Models {
 public:
  /// `pool_rows`: size of the caller's pool; absent where there is none.
  Models(const Space& space, const Options& options, Backend& backend,
         std::optional<std::size_t> pool_rows = std::nullopt);

  /// Distinct points that a GP learns from at most, beside its options' max_points; from the next update on.
  void limit_points(std::size_t most);
  /// Learns from every point, or from a subset within the limit. `fit_due`: whether to fit hyperparameters now, the
  /// first time apart; the models' own rhythm where absent. A no-op where nothing is new and no fit is asked for.
  /// After an exception both models wait for the next update, which comes to what this one would have.
  void update(std::span<const LearnedPoint> points, std::optional<bool> fit_due = std::nullopt);

  bool objective_ready() const { return objective_.ready(); }
  Surrogate& objective() { return objective_; }
  const Surrogate& objective() const { return objective_; }
  CostModel& cost() { return *cost_; }
  const CostModel& cost() const { return *cost_; }
  /// Lowest observed target, standardised; failures do not count.
  double incumbent() const { return incumbent_; }
  /// At a few encoded points, all at once.
  std::vector<ObjectivePrediction> predict_objective(MatrixView points) const;

 private:
  void learn(std::span<const LearnedPoint> points, std::optional<bool> fit_due);
  std::optional<TrainingData> objective_data(std::span<const LearnedPoint> points);

  const Options& options_;
  Backend& backend_;
  std::size_t columns_;
  double sign_;  ///< −1 where the goal is to maximise
  Surrogate objective_;
  std::unique_ptr<CostModel> cost_;
  std::optional<TargetTransform> transform_;
  double incumbent_ = 0;
  std::size_t learned_ = 0;
};

}  // namespace carbo::internal
