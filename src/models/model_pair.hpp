#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/knowledge.hpp>
#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "gp/surrogate.hpp"
#include "gp/transform.hpp"
#include "gp/transform_choice.hpp"
#include "models/learned_point.hpp"
#include "models/model_pair_state.hpp"

namespace carbo::internal {

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
  /// Units of the transformed objective that one standardised unit is worth; under `automatic`, which may change it,
  /// units of the objective itself at the best value observed.
  double objective_scale() const { return objective_scale_; }
  /// Units of the caller's that one standardised unit is worth at the best value observed; 0 where that is not known.
  double objective_slope() const;
  /// That the objective is learned under; absent before it is.
  std::optional<Transform> transform() const;
  /// What `automatic` has chosen and its reasons: together with both surrogates, all that the next choice depends on.
  const TransformChoice& transform_choice() const { return choice_; }
  /// At a few encoded points, all at once; `coverage` of the interval in (0, 1).
  std::vector<ObjectivePrediction> predict_objective(MatrixView points, double coverage = 0.95) const;
  /// In which a measurement is expected where the objective is predicted so: its noise is included. Finite.
  struct Interval {
    double lower = 0, upper = 0;
  };
  Interval measured_interval(const ObjectivePrediction& prediction, double coverage = 0.95) const;
  /// Requires that the objective is ready.
  FittedModel fitted_objective() const;

  ModelPairState state() const;
  /// As the pair was whose state it is, which had learned from these points or the first of them; of one that has
  /// learned nothing yet. Nothing is fitted. Throws InvalidState where the state does not fit the points.
  void restore(std::span<const LearnedPoint> points, const ModelPairState& state);

  // The steps of an update, which are fit_models' own: `open` and `choose`, then `begin` and `finish`.

  /// Whether there is anything to learn or to fit.
  bool wants(std::span<const LearnedPoint> points, std::optional<bool> fit_due) const;
  /// Begins an update; where a transform is to be chosen, adds the fits that this wants to `problems`, valid until
  /// `choose`.
  void open(std::span<const LearnedPoint> points, std::optional<bool> fit_due, std::vector<FitProblem>& problems);
  /// `fitted`: results of the problems that `open` added.
  void choose(std::span<const FitResult> fitted);
  /// Takes the points that `open` got; adds the fits that are wanted to `problems`, valid until `finish` or
  /// `roll_back`. Nothing where no update was opened, as for `choose` and `finish`.
  void begin(std::span<const LearnedPoint> points, std::vector<FitProblem>& problems);
  /// `fitted`: results of the problems that `begin` added.
  void finish(std::span<const FitResult> fitted);
  /// After an update that came to nothing: the next one comes to what this one would have.
  void roll_back() noexcept;
  std::uint64_t seed() const { return options_.seed; }

 private:
  /// What the objective's model is to learn from, and what it then stands for.
  struct Objective {
    TrainingData data;
    TargetTransform transform;
    double incumbent;
    double scale;
  };

  Transform wanted_transform() const;
  bool choice_is_wanted(const Successes& successes, std::optional<bool> fit_due) const;
  std::optional<Objective> objective_of(std::span<const LearnedPoint> points) const;

  GpBackend& backend_;
  ModelPairOptions options_;
  std::size_t columns_;
  double sign_;  ///< −1 where the goal is to maximise
  Surrogate objective_;
  std::unique_ptr<CostModel> cost_;
  std::optional<TargetTransform> transform_;
  double incumbent_ = 0;
  double objective_scale_ = 1;
  TransformChoice choice_;  ///< for Transform::automatic
  std::size_t learned_ = 0;

  /// An update between `open` and its end.
  struct Update {
    Surrogate::Standing before;
    TransformChoice choice_before;
    std::vector<CostObservation> costs;  ///< refer to the points that were given
    std::size_t points = 0;
    FitWish objective_wish;
    std::optional<bool> cost_due;
    std::unique_ptr<TransformCompetition> competition{};
    std::optional<Objective> objective{};
    bool fits_objective = false;
  };
  std::optional<Update> update_;
};

}  // namespace carbo::internal
