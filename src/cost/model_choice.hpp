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

/// The model to go on with: `current`, unless another's total log density is higher by more than chance explains: one
/// nat and one standard error of the sum of differences. Where there is no `current`, the one with the highest total.
/// Ties go to the earlier. `evidence` is not empty, and holds that of `current`.
CostModelKind choose_model(std::optional<CostModelKind> current, std::span<const ModelEvidence> evidence);

}  // namespace carbo::internal
