#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "cost/cost_state.hpp"
#include "gp/surrogate.hpp"
#include "gp/transform.hpp"

namespace carbo::internal {

/// A GP on the log cost that an offset (known part, linear trend) leaves. A censored cost (a timeout at T) enters as
/// E[γ | γ ≥ log T] under the GP fitted to the complete costs; where no cost is complete, as log T itself.
///
/// Where `robust` is set, a log cost that lies further than three robust deviations from what all others say of it is
/// drawn in to that distance before the GP learns from it, so that one stray timing neither bends the mean nor raises
/// the noise of all.
class ResidualGp {
 public:
  /// `noise`: see FitProblem.
  ResidualGp(const Space& space, const CostOptions& options, Backend& backend, LogNormalPrior noise);

  bool ready() const { return surrogate_.ready(); }
  void limit_points(std::size_t most) { surrogate_.limit_points(most); }
  PointsLearned points() const { return surrogate_.points(); }
  /// At least one observation, and an offset for each. See Surrogate::prepare for the result.
  const FitProblem* prepare(std::span<const CostObservation> observations, std::span<const double> offsets,
                            FitWish wish);
  /// Whether the costs last prepared are to be left out one by one.
  bool check_due() const { return surrogate_.check_due(); }
  /// Learns the complete costs.
  void update(const std::optional<FitResult>& fitted);
  /// After an update that came to nothing: as the last `prepare` found and left it. Requires one.
  void roll_back() noexcept;
  /// Learns the timeouts of the last update, too: another factor. Until then nothing is known of them.
  void impute_timeouts();

  /// γ over all candidates: its mean, `offset` added where it is given, and its variance where that is asked for.
  std::unique_ptr<Field> field(const CandidateSet& candidates, const Field* offset, FieldUse use) const;
  CostPosterior posterior() const { return {&factor(), units()}; }
  /// γ without its offset at a few encoded points; at many without variances, which are then 0.
  std::vector<LogCost> predictions(MatrixView points, bool with_variance = true) const;
  FittedModel fitted() const;
  double jitter() const { return ready() ? factor().jitter() : 0.0; }
  const std::optional<Calibration>& calibration() const { return surrogate_.calibration(); }

  /// Log density of each complete log cost given all others, less what fitting to all of them flatters it by: one nat
  /// in all for each hyperparameter that the data decided, and n / (n − p − 1) for each of the p `coefficients` of
  /// its offset (Akaike's correction for few data). Absent where the last update left none out (it came too soon
  /// after another, or the data are too many), or the coefficients are too many.
  std::optional<std::vector<double>> log_densities(std::size_t coefficients) const;

  ResidualGpState state() const;
  /// As the one was whose state it is, of these costs or the first of them; of one that has learned nothing yet.
  /// Throws InvalidState where it does not fit them.
  void restore(std::span<const CostObservation> observations, const ResidualGpState& state);

 private:
  /// Observations, complete ones and those to be imputed.
  struct Costs {
    std::vector<double> points, residuals, offsets;         ///< complete: encoded rows, γ without offset
    std::vector<double> timeout_points, timeout_residuals;  ///< encoded rows, log T without offset
    std::vector<double> all_offsets;                        ///< of both, as they came
  };
  /// Of a log cost without its offset.
  struct Limits {
    double lowest;
    double highest;
  };

  Costs split(std::span<const CostObservation> observations, std::span<const double> offsets);
  const GpFactor& factor() const { return with_timeouts_ ? *with_timeouts_ : surrogate_.factor(); }
  Affine units() const { return {units_.shift, units_.scale}; }
  /// Standardised, drawn in to the limits; sets the units to come.
  TrainingData training_data();
  /// In the factor's units, not drawn in.
  std::vector<double> standardised_residuals() const;
  /// Limits move with the offsets: what is limited is the cost. Returns the furthest that one has moved.
  double follow_offsets(std::span<const double> offsets, std::vector<Limits>& limits) const;
  /// Of the `points` (encoded rows) that came since the last update, by what it predicts of them.
  void limit_new_costs(std::span<const double> points, double drift, std::vector<Limits>& limits) const;
  /// Limits of all by what the last fit says; true where a target moves far enough for another fit.
  bool draw_in();

  Backend& backend_;
  bool robust_;
  Surrogate surrogate_;             ///< of the complete costs
  Standardisation prepared_units_;  ///< of γ without offset, in the data last prepared
  Standardisation units_;           ///< the same, in the factor
  bool checked_ = false;            ///< whether the last update left each cost out
  std::size_t columns_ = 0;
  Costs costs_;                              ///< of the last `prepare`
  std::vector<Limits> limits_;               ///< of the complete costs; `robust` only
  Surrogate::Standing standing_;             ///< before the last `prepare`
  std::vector<Limits> prepared_limits_;      ///< after it
  std::unique_ptr<GpFactor> with_timeouts_;  ///< complete and imputed costs; null where no timeout is imputed
};

}  // namespace carbo::internal
