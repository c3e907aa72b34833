#pragma once

#include <optional>
#include <span>
#include <vector>

#include <carbo/cost.hpp>
#include <carbo/diagnostics.hpp>

namespace carbo::internal {

/// Log density of every complete log cost under a model that has seen all others.
struct ModelEvidence {
  CostModelKind kind = CostModelKind::log_gp;
  std::vector<double> log_densities;  ///< in one order for all models
};

/// Mean log densities, in the order of `evidence`.
std::vector<CostModelScore> model_scores(std::span<const ModelEvidence> evidence);

/// The model to go on with, by choose_by_evidence. `evidence` is not empty, and holds that of `current`, where there
/// is one.
CostModelKind choose_model(std::optional<CostModelKind> current, std::span<const ModelEvidence> evidence);

}  // namespace carbo::internal
