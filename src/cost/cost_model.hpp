#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/optimizer.hpp>
#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "gp/fit.hpp"
#include "space/candidates.hpp"

namespace carbo::internal {

/// One cost that was observed. Failures do not appear; a timeout is censored.
struct CostObservation {
  std::span<const double> encoded;
  std::span<const double> numbers;
  double cost = 0;        ///< above 0
  bool censored = false;  ///< the full cost is at least `cost`
};

/// Normal distribution of the logarithm of a cost.
struct LogCost {
  double mean = 0;
  double variance = 0;
};

/// The GP that a model's γ is the posterior of, with γ's units.
struct CostPosterior {
  const GpFactor* factor = nullptr;
  Affine units;
};

/// A model of c(x) > 0 through its logarithm γ(x).
class CostModel {
 public:
  virtual ~CostModel() = default;

  /// Whether predictions can be made (a learned model needs an observation).
  virtual bool ready() const = 0;
  /// The GP fit that an update wants to share a batched call with the objective's; null where there is none.
  /// Valid until `update` returns.
  virtual const FitProblem* prepare(std::span<const CostObservation> observations) = 0;
  /// Takes the observations given to `prepare`, and the result of its fit where one was asked for.
  virtual void update(const std::optional<FitResult>& fitted) = 0;
  /// γ over all candidates: its mean.
  virtual std::unique_ptr<Field> field(const CandidateTable& table, const CandidateSet& candidates) = 0;
  /// What γ's variance is computed from; absent where it is 0. Valid until the next update.
  virtual std::optional<CostPosterior> posterior() const = 0;
  virtual LogCost predict(std::span<const double> encoded, std::span<const double> numbers) const = 0;
  virtual double jitter() const = 0;
  /// Taken at the last fit; absent where there is none, or above the size where it would cost as much as a fit.
  virtual std::optional<Calibration> calibration() const = 0;
};

std::unique_ptr<CostModel> make_cost_model(const Space& space, const CostOptions& options, Backend& backend);

}  // namespace carbo::internal
