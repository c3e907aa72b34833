#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/transform.hpp>

#include "gp/fit.hpp"
#include "gp/transform.hpp"

namespace carbo::internal {

/// All that Transform::automatic remembers: with it, the same data lead to the same choices from there on. What a
/// transform is fitted to is always the data of the moment.
struct TransformChoice {
  Transform kind = Transform::none;      ///< that is in use
  std::vector<TransformScore> scores{};  ///< of the last choice; empty before the first
  std::size_t chosen_at = 0;             ///< successes that there were then; 0 before the first
  double scale = 0;                      ///< TargetTransform::scale of `kind`, fitted to them
};

/// Successful evaluations. Failures have no part in a choice.
struct Successes {
  std::vector<double> points;  ///< encoded rows
  std::vector<double> values;  ///< in the caller's units
  std::size_t columns = 0;
};

/// Whether another choice is worth its time: from three values on, where the better half of them are not all equal,
/// at the first opportunity; then where they have become more by a quarter (or fewer), or their spread, as
/// transformed, has doubled or halved. `sign`: −1 where higher values are better, here and below.
bool choice_is_possible(const Successes& successes, double sign);
bool choice_is_due(const TransformChoice& last, const Successes& successes, double sign);

/// Log scores of values in the caller's units from predictions of their standardised targets, times `sign`: of a
/// value that is not worse than `median`, its log density; of others, the log probability of being worse. Together
/// these are a density up to the median and one probability beyond it, of which the logarithm is a proper score.
std::vector<double> half_log_scores(const TargetTransform& transform, std::span<const double> values, double sign,
                                    double median, const LeaveOneOut& predicted);

/// One choice between transforms: a GP for each, fitted alike to the same rows, says of each value what all others
/// make of it. Of many values, a few hundred by lot are taken; the transforms are fitted to all.
class TransformCompetition {
 public:
  /// `model`: the objective's, as it would be fitted; its columns' groups and its options must outlive this. Requires
  /// choice_is_possible.
  TransformCompetition(const Successes& successes, double sign, const FitProblem& model);
  TransformCompetition(const TransformCompetition&) = delete;
  TransformCompetition& operator=(const TransformCompetition&) = delete;

  /// The fits that are wanted, valid as long as this is; none where the hyperparameters are given.
  std::vector<FitProblem> problems() const;

  struct Decision {
    TransformChoice choice;
    std::optional<Hyperparameters> fitted;  ///< those of the kind that was chosen, where any were fitted
  };
  /// `fitted`: results of the problems. `last` stays unless another is better by more than chance explains
  /// (choose_by_evidence). A kind under which no GP can be made takes no part.
  Decision decide(GpBackend& backend, const TransformChoice& last, std::span<const FitResult> fitted) const;

 private:
  struct Rival {
    TargetTransform transform;
    std::vector<double> targets;        ///< of the rows taken, times the sign
    TrainingData rows;                  ///< one a point
    std::vector<std::size_t> row_of{};  ///< of each target
  };

  std::optional<std::vector<double>> log_scores(GpBackend& backend, const Rival& rival,
                                                const Hyperparameters& hyperparameters) const;

  double sign_;
  double median_;               ///< in the caller's units, of all values
  std::size_t count_;           ///< of all values
  std::vector<double> values_;  ///< of those taken
  SurrogateOptions options_;
  FitProblem model_;
  std::vector<Rival> rivals_;
};

}  // namespace carbo::internal
