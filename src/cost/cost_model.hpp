#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/knowledge.hpp>
#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "cost/cost_state.hpp"
#include "gp/fit.hpp"
#include "space/candidates.hpp"

namespace carbo::internal {

/// A configuration as cost models see it.
struct CostPoint {
  std::span<const double> encoded;
  std::span<const double> numbers;
  std::optional<std::size_t> pool_row{};  ///< of the caller's pool, where it is one
};

/// One cost that was observed. Failures do not appear; a timeout is censored.
struct CostObservation {
  CostPoint point;
  double cost = 0;        ///< above 0
  bool censored = false;  ///< the full cost is at least `cost`
};

/// Normal distribution of the logarithm of a cost.
struct LogCost {
  double mean = 0;
  double variance = 0;
};

/// The median of a cost, finite and above 0.
inline double median_cost(const LogCost& cost) {
  return std::clamp(std::exp(cost.mean), std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
}

/// The GP that a model's γ is the posterior of, but for a known function added to its mean, with γ's units.
struct CostPosterior {
  const GpFactor* factor = nullptr;
  Affine units;
};

/// What a field of log costs is for: a search, which may compute means where it needs them; values of every
/// candidate; their variances, too.
enum class FieldUse { search, values, values_and_variances };

/// A model of c(x) > 0 through its logarithm γ(x).
class CostModel {
 public:
  virtual ~CostModel() = default;

  /// Whether predictions can be made (a learned model needs an observation).
  virtual bool ready() const = 0;
  /// Distinct points that a GP learns from at most, from the next update on.
  virtual void limit_points(std::size_t) {}
  /// Of the model that predicts now; none where nothing is learned.
  virtual PointsLearned points() const { return {}; }
  /// The GP fits that an update wants to share batched calls with the objective's. Valid until `update` returns.
  /// `fit_due`: whether to fit now; the model's own rhythm where absent.
  virtual std::vector<FitProblem> prepare(std::span<const CostObservation> observations,
                                          std::optional<bool> fit_due = std::nullopt) = 0;
  /// Takes the observations given to `prepare`, and the results of its fits in their order.
  virtual void update(std::span<const FitResult> fitted) = 0;
  /// After a `prepare` or an `update` that came to nothing: the next ones start from where these did.
  virtual void roll_back() noexcept {}
  /// γ over all candidates: its mean, and its variance where `weight` needs it and `posterior` is absent or it is
  /// asked for. One for searches is valid until the next update.
  virtual std::shared_ptr<const Field> field(const CandidateTable& table, const CandidateSet& candidates,
                                             FieldUse use = FieldUse::values) = 0;
  /// What γ's variance is computed from; absent where `field` has it, or where it is 0. Valid until the next update.
  virtual std::optional<CostPosterior> posterior() const = 0;
  /// γ at a few points, all at once; at many without the variances of a GP, which are then 0.
  virtual std::vector<LogCost> predictions(std::span<const CostPoint> points, bool with_variance = true) const = 0;
  LogCost predict(const CostPoint& point) const { return predictions({&point, 1}).front(); }
  /// The GP that predicts now; absent where none does.
  virtual std::optional<FittedModel> fitted() const { return std::nullopt; }
  virtual double jitter() const = 0;
  /// Taken at the last fit; absent where there is none, or above the size where it would cost as much as a fit.
  virtual std::optional<Calibration> calibration() const = 0;
  /// The model that predicts now.
  virtual CostModelKind kind() const = 0;
  /// What it was chosen by; empty where there was no choice.
  virtual std::vector<CostModelScore> scores() const = 0;
  /// What it has learned.
  virtual CostModelState state() const {
    CostModelState nothing;
    nothing.kind = kind();
    return nothing;
  }
  /// As the model was whose state it is, which had learned from these observations or the first of them. Of one that
  /// has learned nothing yet. Throws InvalidState where it does not fit.
  virtual void restore(std::span<const CostObservation>, const CostModelState&) {}
};

/// Whether a configuration's cost can be told only where its row of the pool is known.
bool uses_pool_column(const CostOptions& options);

/// What the model keeps at most: GPs, and numbers a candidate.
std::size_t cost_factors(const CostOptions& options);
std::size_t cost_features(const Space& space, const CostOptions& options);

/// `pool_rows`: size of the caller's pool; absent where there is none. Throws InvalidOptions.
std::unique_ptr<CostModel> make_cost_model(const Space& space, const CostOptions& options, Backend& backend,
                                           std::optional<std::size_t> pool_rows = std::nullopt);

}  // namespace carbo::internal
