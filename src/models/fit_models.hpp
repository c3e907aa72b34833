#pragma once

#include <optional>
#include <span>

#include "models/model_pair.hpp"

namespace carbo::internal {

/// What one pair is to learn.
struct ModelUpdate {
  ModelPair* models = nullptr;
  std::span<const LearnedPoint> points;
  /// Whether to fit hyperparameters now, the first time apart; the models' own rhythm where absent.
  std::optional<bool> fit_due{};
};

/// Every pair learns from all its points; their fits share batched calls. A pair for which nothing is new is passed
/// over unless a fit is asked for; what one learns does not depend on the others. After an exception all of them wait
/// for the next update, which comes to what this one would have.
void fit_models(GpBackend& backend, std::span<const ModelUpdate> updates);

}  // namespace carbo::internal
