#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "gp/surrogate.hpp"
#include "gp/transform.hpp"
#include "models/learned_point.hpp"
#include "models/model_pair_state.hpp"

namespace carbo::internal {

/// Prediction of the objective in the caller's units, and its spread in the model's.
struct ObjectivePrediction {
  double median = 0;
  double standard_deviation = 0;
};

struct ModelPairOptions {
  SurrogateOptions objective{};
  Transform transform = Transform::none;
  Goal goal = Goal::minimize;
  bool penalize_failures = true;  ///< the objective's model sees a failure as the worst value observed
  bool pool_rows_alone = false;   ///< the cost model learns from rows of the caller's pool alone
  std::uint64_t seed = 0;         ///< of fits
};

/// What a model of the cost learns of the points, to which the result refers.
std::vector<CostObservation> cost_observations(std::span<const LearnedPoint> points, bool pool_rows_alone);

/// The two surrogates, the objective's and the cost's. They learn through `fit_models`.
class ModelPair {
 public:
  /// `column_groups`: lengthscale that each encoded column uses. All but the backend are kept.
  ModelPair(Backend& backend, std::vector<int> column_groups, const ModelPairOptions& options,
            std::unique_ptr<CostModel> cost);

  /// Distinct points that a GP learns from at most, beside its options' max_points; from the next update on.
  void limit_points(std::size_t most);
  bool objective_ready() const { return objective_.ready(); }
  Surrogate& objective() { return objective_; }
  const Surrogate& objective() const { return objective_; }
  CostModel& cost() { return *cost_; }
  const CostModel& cost() const { return *cost_; }
  /// Lowest observed target, standardised; failures do not count.
  double incumbent() const { return incumbent_; }
  /// Units of the transformed objective that one standardised unit is worth.
  double objective_scale() const { return transform_ ? transform_->scale() : 1.0; }
  /// At a few encoded points, all at once.
  std::vector<ObjectivePrediction> predict_objective(MatrixView points) const;

  ModelPairState state() const;
  /// As the pair was whose state it is, which had learned from these points or the first of them; of one that has
  /// learned nothing yet. Nothing is fitted. Throws InvalidState where the state does not fit the points.
  void restore(std::span<const LearnedPoint> points, const ModelPairState& state);

  // The three steps of an update, which are fit_models' own.

  /// Whether there is anything to learn or to fit.
  bool wants(std::span<const LearnedPoint> points, std::optional<bool> fit_due) const;
  /// Takes the points; adds the fits that are wanted to `problems`, valid until `finish` or `roll_back`.
  void begin(std::span<const LearnedPoint> points, std::optional<bool> fit_due, std::vector<FitProblem>& problems);
  /// `fitted`: results of the problems that `begin` added.
  void finish(std::span<const FitResult> fitted);
  /// After an update that came to nothing: the next one comes to what this one would have.
  void roll_back() noexcept;
  std::uint64_t seed() const { return options_.seed; }

 private:
  std::optional<TrainingData> objective_data(std::span<const LearnedPoint> points);

  ModelPairOptions options_;
  std::size_t columns_;
  double sign_;  ///< −1 where the goal is to maximise
  Surrogate objective_;
  std::unique_ptr<CostModel> cost_;
  std::optional<TargetTransform> transform_;
  double incumbent_ = 0;
  std::size_t learned_ = 0;

  /// An update between `begin` and its end.
  struct Update {
    Surrogate::Standing before;
    std::vector<CostObservation> costs;  ///< refer to the points that were given
    std::size_t points = 0;
    bool has_objective = false;
    bool fits_objective = false;
  };
  std::optional<Update> update_;
};

}  // namespace carbo::internal
