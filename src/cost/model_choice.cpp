#include "cost/model_choice.hpp"

#include "gp/evidence.hpp"

namespace carbo::internal {

std::vector<CostModelScore> model_scores(std::span<const ModelEvidence> evidence) {
  std::vector<CostModelScore> scores;
  for (const ModelEvidence& one : evidence) {
    scores.push_back({one.kind, total(one.log_densities) / static_cast<double>(one.log_densities.size())});
  }
  return scores;
}

CostModelKind choose_model(std::optional<CostModelKind> current, std::span<const ModelEvidence> evidence) {
  std::vector<LogScores> models;
  std::optional<std::size_t> holder;
  for (const ModelEvidence& one : evidence) {
    if (one.kind == current) holder = models.size();
    models.push_back(one.log_densities);
  }
  return evidence[choose_by_evidence(holder, models)].kind;
}

}  // namespace carbo::internal
