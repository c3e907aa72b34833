#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/options.hpp>

#include "cost/cost_inputs.hpp"
#include "cost/cost_model.hpp"
#include "cost/linear_trend.hpp"
#include "cost/model_choice.hpp"
#include "cost/residual_gp.hpp"

namespace carbo::internal {

/// The models that learn: a GP on the log cost, a linear trend, a GP on what the trend leaves. One of them by the
/// caller's wish, or the one that predicts left-out costs best: of all three (`automatic`), or of the two GPs
/// (`linear_mean_gp`, whose trend may be worse than none).
class LearnedCost final : public CostModel {
 public:
  LearnedCost(const Space& space, const CostOptions& options, Backend& backend, std::optional<std::size_t> pool_rows);

  bool ready() const override { return learned_; }
  void limit_points(std::size_t most) override;
  PointsLearned points() const override;
  std::vector<FitProblem> prepare(std::span<const CostObservation> observations,
                                  std::optional<bool> fit_due) override;
  void update(std::span<const FitResult> fitted) override;
  void roll_back() noexcept override;
  std::shared_ptr<const Field> field(const CandidateTable& table, const CandidateSet& candidates,
                                     FieldUse use) override;
  std::optional<CostPosterior> posterior() const override;
  std::vector<LogCost> predictions(std::span<const CostPoint> points, bool with_variance) const override;
  std::optional<FittedModel> fitted() const override;
  double jitter() const override;
  std::optional<Calibration> calibration() const override;
  CostModelKind kind() const override { return kind_; }
  std::vector<CostModelScore> scores() const override { return scores_; }
  CostModelState state() const override;
  void restore(std::span<const CostObservation> observations, const CostModelState& state) override;

 private:
  /// A GP, and what the last `prepare` asked of it.
  struct Part {
    Part(const Space& space, const CostOptions& options, Backend& backend, LogNormalPrior noise)
        : gp(space, options, backend, noise) {}

    ResidualGp gp;
    bool prepared = false;
    std::optional<std::size_t> problem{};  ///< of those that `prepare` returned
  };

  std::vector<double> known_parts(std::span<const CostObservation> observations) const;
  /// Fits the trend to come and adds it to `offsets`, the known parts.
  void fit_trend(std::span<const CostObservation> observations, std::vector<double>& offsets);
  void prepare_part(Part& part, std::span<const CostObservation> observations, std::span<const double> offsets,
                    FitWish wish, std::vector<FitProblem>& problems);
  void prepare_gps(std::span<const CostObservation> observations, std::span<const double> known,
                   std::span<const double> with_trend, std::optional<bool> fit_due,
                   std::vector<FitProblem>& problems);
  std::vector<ModelEvidence> evidence() const;
  void choose();
  /// The GP that predicts now; null where the trend does so alone.
  const ResidualGp* gp() const;

  Backend& backend_;
  CostModelKind wish_;
  bool spread_counts_;  ///< whether the variance enters scores
  CostError error_;
  CostInputs inputs_;
  CostModelKind kind_;
  std::size_t fewest_ = 0;  ///< observations that a choice needs
  std::optional<Part> log_gp_;
  std::optional<Part> residual_gp_;
  std::optional<LinearTrend> trend_, prepared_trend_;
  std::vector<CostModelScore> scores_;
  bool prepared_ = false;   ///< whether there are data to update with
  bool competing_ = false;  ///< whether the last `prepare` was for more models than the one that predicts
  bool chosen_ = false;     ///< whether the one that predicts was chosen by evidence
  struct Choice {
    CostModelKind kind;
    bool chosen;
  };
  std::optional<Choice> before_;  ///< from a `prepare` to the end of its `update`: what it found
  bool learned_ = false;
  std::size_t observations_ = 0;  ///< of the last `prepare`
};

}  // namespace carbo::internal
