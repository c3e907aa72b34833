#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/knowledge.hpp>
#include <carbo/options.hpp>

#include "backend/gp_backend.hpp"
#include "gp/copies.hpp"
#include "gp/fit.hpp"
#include "gp/surrogate_state.hpp"
#include "gp/transform.hpp"

namespace carbo::internal {

/// What is asked of one update of a surrogate.
struct FitWish {
  /// Whether to fit and to leave each row out now; the surrogate's own rhythm where absent. A first fit is always
  /// due.
  std::optional<bool> due{};
  /// Of one that only competes: many rows are fitted to a subset alone, and only where the data have grown by half;
  /// rows are left out whenever it is due all the same.
  bool draft = false;
  /// Where the targets are others than before: a full fit that starts from here, too.
  std::optional<Hyperparameters> start{};
};

/// A GP that follows growing data: decides when to fit anew, appends rows otherwise, keeps the factor. Copies of a
/// point are one row; of more points than the limit, a subset is kept (choose_rows), those left out of it are learned
/// from by the mean alone (learn_background), and hyperparameters are fitted to all (FitProblem::all). An update has
/// two halves so that the fits of several surrogates can share batched calls.
class Surrogate {
 public:
  /// Points above which leaving each out would cost as much as a fit.
  static constexpr std::size_t most_left_out = 2000;

  /// `field` names the options in messages. Throws InvalidOptions.
  Surrogate(GpBackend& backend, SurrogateOptions options, std::vector<int> column_groups,
            const std::string& field = "surrogate", LogNormalPrior noise = little_noise);
  Surrogate(const Surrogate&) = delete;
  Surrogate& operator=(const Surrogate&) = delete;

  /// Points to learn from at most, beside SurrogateOptions::max_points; for updates from now on.
  void limit_points(std::size_t most) { most_points_ = most; }

  /// Takes the data and returns the fit that it wants, or null where the hyperparameters stay (given by the
  /// caller, or the data grew too little). The pointer is valid until `update` returns. Throws InvalidObservation
  /// where there are no data.
  const FitProblem* prepare(TrainingData data, FitWish wish = {});
  /// Second half: factor (or append, where rows were only added and the hyperparameters stay) and set targets.
  /// Throws NumericalError; the last factor then stays.
  void update(const std::optional<FitResult>& fitted);

  /// Points that are learned from, where not all are.
  struct Choice {
    std::vector<std::size_t> rows;  ///< ascending; empty where all are
    std::size_t of = 0;             ///< points that there were
    std::size_t chosen = 0;         ///< of the rows; those added since are the latest
  };
  /// Points left out of that choice, or as many of them, by lot, as a mean may learn from.
  struct Background {
    std::vector<std::size_t> rows;
    std::vector<double> weights;  ///< as last learned
  };
  /// What decides the next fit and where it starts from.
  struct Standing {
    Hyperparameters hyperparameters;
    std::size_t rows_at_fit = 0;
    std::size_t rows_at_full_fit = 0;
    std::size_t factors_made = 0;
    Choice choice{};
    Background background{};
  };
  Standing standing() const {
    return {hyperparameters_, observations_at_fit_, observations_at_full_fit_, factors_made_, choice_, background_};
  }
  /// As it stood, after updates that came to nothing. A factor made since is dropped: the next update makes another.
  void stand_as(Standing&& before) noexcept;

  SurrogateState state() const;
  /// As the one was whose state it is and whose data these were (or began so, where an update has failed); of a
  /// surrogate that has learned nothing yet. Nothing is fitted. Throws InvalidState where the state does not fit the
  /// data, or NumericalError.
  void restore(TrainingData data, const SurrogateState& state);

  bool ready() const { return factor_ != nullptr; }
  GpFactor& factor() { return *factor_; }
  const GpFactor& factor() const { return *factor_; }
  /// As prepared, one entry an observation.
  const TrainingData& data() const { return data_; }
  /// What the GP learns from, one row a point.
  const TrainingData& rows() const { return choice_.rows.empty() ? merged_.rows : kept_; }
  PointsLearned points() const { return {rows().size(), merged_.rows.size()}; }
  /// The same in the order of the factor's.
  TrainingData rows_in_factor_order() const { return rows_of(rows(), order_); }
  /// Lets the mean of a factor of these rows, or of more, learn from the points left out of them.
  void add_background(GpFactor& factor) const;
  /// Of `rows`, as many as may be learned from.
  TrainingData within_limit(TrainingData rows) const;
  /// Whether the data last prepared are to be left out row by row.
  bool check_due() const { return check_due_; }
  /// Whether the last update took `left_out` anew.
  bool checked() const { return checked_; }
  /// Whether the caller gave the hyperparameters.
  bool fixed() const { return options_.fixed.has_value(); }
  const Hyperparameters& hyperparameters() const { return hyperparameters_; }
  /// Hyperparameters with the mean that the factor has; `units` of the targets. Requires that it is ready.
  FittedModel fitted(const Standardisation& units) const;
  /// The problem as of the last update, for draws from the hyperparameters' posterior.
  FitProblem problem() const;
  double jitter() const { return factor_ ? factor_->jitter() : 0.0; }
  /// Prediction of each target of the data from all others, taken at the last fit; absent above the size where it
  /// would cost as much as a fit, and where only a subset is learned from. May have fewer rows than the data: those
  /// that the last fit had.
  const std::optional<LeaveOneOut>& left_out() const { return left_out_; }
  /// Summary of `left_out`, over those that were learned from.
  const std::optional<Calibration>& calibration() const { return calibration_; }

 private:
  /// Observations of the rows that are learned from.
  struct Learned {
    std::vector<std::size_t> row_of;
    std::vector<double> targets;
  };

  Learned learned_observations() const;
  std::size_t most_points() const { return std::min(options_.max_points, most_points_); }
  std::vector<std::size_t> best_rows(const TrainingData& rows, std::size_t count,
                                     std::span<const double> lengthscales) const;
  Choice choose_points(const TrainingData& all, std::span<const double> lengthscales) const;
  Choice follow_points(const TrainingData& all, bool rows_stayed) const;
  bool fit_is_due() const;
  bool rows_were_added() const;
  bool append_new_rows();
  void make_factor(const GpParameters& parameters);
  /// Of the first `of` points, those that a mean learns from beside the choice.
  std::vector<std::size_t> background_rows(std::size_t of) const;
  Background learned_background(GpFactor& factor) const;
  /// The points that a factor of so many rows was made of: the choice, and what came after it.
  std::vector<std::size_t> factored_rows(std::size_t count) const;
  void restore_factor(const FactorState& state);
  void take_left_out();

  GpBackend& backend_;
  SurrogateOptions options_;
  std::vector<int> column_groups_;
  LogNormalPrior noise_;
  TrainingData data_;
  std::size_t most_points_ = std::numeric_limits<std::size_t>::max();
  MergedCopies merged_;  ///< all points
  Choice choice_;        ///< of these
  TrainingData kept_;    ///< the rows that are chosen
  TrainingData sample_;  ///< of all, by lot, where hyperparameters are not fitted to all
  Background background_;
  FitProblem problem_;
  Hyperparameters hyperparameters_;
  std::unique_ptr<GpFactor> factor_;
  std::vector<double> factored_points_;   ///< as they came
  std::vector<double> factored_counts_;   ///< the same; empty where all are 1
  std::vector<double> factored_targets_;  ///< of the factor's rows
  std::size_t factored_together_ = 0;     ///< rows of the factor; the others were appended
  std::vector<std::size_t> order_;        ///< row that each row of the factor is
  bool check_due_ = false;                ///< at the next update
  bool checked_ = false;
  std::size_t observations_at_fit_ = 0;
  std::size_t observations_at_full_fit_ = 0;
  std::size_t factors_made_ = 0;
  std::optional<LeaveOneOut> left_out_;
  std::optional<Calibration> calibration_;
};

}  // namespace carbo::internal
