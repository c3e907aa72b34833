#pragma once

#include <span>

#include "backend/cpu/candidates.hpp"
#include "backend/cpu/field.hpp"
#include "backend/score_backend.hpp"
#include "backend/scored.hpp"

namespace carbo::internal {

/// Whether the mask and the limit of the cost allow candidate j of panel p.
inline bool may_be_picked(const CpuCandidates& candidates, const ScoreRequest& request, std::size_t p,
                          std::size_t j) {
  if (candidates.mask()[p * panel_width + j] == 0) return false;
  const auto* log_cost = static_cast<const CpuField*>(request.log_cost);
  return log_cost == nullptr || log_cost->mean_row(p, 0)[j] <= request.log_cost_limit;
}

/// Log cost of candidate j of panel p.
inline kernels::LogCost log_cost_at(const ScoreRequest& request, std::size_t p, std::size_t j) {
  if (request.log_cost == nullptr) return {};
  const auto& log_cost = static_cast<const CpuField&>(*request.log_cost);
  return {true, log_cost.mean_row(p, 0)[j], log_cost.has_variance() ? log_cost.variance_at(p, j) : 0.0};
}

/// Score of candidate j of panel p, whether or not it may be picked. `request` has been checked.
double score_at(const ScoreRequest& request, std::size_t p, std::size_t j);

/// Score of every candidate of panel p; −∞ where it may not be picked. `request` has been checked.
void score_panel(const CpuCandidates& candidates, const ScoreRequest& request, std::size_t p,
                 std::span<double, panel_width> out);

/// The best two over all candidates; ties go to the lowest index, NaN never wins.
BestTwo pick_best(const CpuCandidates& candidates, const ScoreRequest& request);

/// Throws InvalidOptions on fields or incumbents that do not fit.
void check_score_request(const CpuCandidates& candidates, const ScoreRequest& request);

}  // namespace carbo::internal
