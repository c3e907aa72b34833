#include "backend/cpu/score.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "acquisition/log_ei_cool.hpp"
#include "backend/checks.hpp"
#include "backend/cost_moment.hpp"

namespace carbo::internal {
namespace {

/// Log of the mean over all fantasies of EI at candidate j of panel p.
double log_mean_improvement(const ScoreRequest& request, std::size_t p, std::size_t j) {
  kernels::LogSumExp sum;
  std::size_t fantasy = 0;
  for (const Member& member : request.objective) {
    const auto& field = static_cast<const CpuField&>(*member.field);
    const double sd = std::sqrt(field.variance_at(p, j));
    const double log_sd = std::log(sd);
    for (std::size_t f = 0; f < field.means(); ++f, ++fantasy)
      sum.add(log_sd +
              kernels::log_scaled_improvement(request.incumbents[fantasy], field.mean_row(p, f)[j], 1.0 / sd));
  }
  return sum.value() - std::log(static_cast<double>(fantasy));
}

/// Keeps the best two; called in ascending order of index.
void offer(Pick& pick, std::size_t index, double score) {
  if (std::isnan(score)) return;
  if (pick.index == Pick::none || score > pick.score) {
    pick.runner_up = pick.index;
    pick.runner_up_score = pick.score;
    pick.index = index;
    pick.score = score;
  } else if (pick.runner_up == Pick::none || score > pick.runner_up_score) {
    pick.runner_up = index;
    pick.runner_up_score = score;
  }
}

}  // namespace

bool may_be_picked(const CpuCandidates& candidates, const ScoreRequest& request, std::size_t p, std::size_t j) {
  if (candidates.mask()[p * panel_width + j] == 0) return false;
  const auto* log_cost = static_cast<const CpuField*>(request.log_cost);
  return log_cost == nullptr || log_cost->mean_row(p, 0)[j] <= request.log_cost_limit;
}

double cost_term(const ScoreRequest& request, std::size_t p, std::size_t j, CostVariance kind) {
  if (request.log_cost == nullptr) return 0.0;
  const auto& log_cost = static_cast<const CpuField&>(*request.log_cost);
  const bool counts = kind == CostVariance::full && log_cost.has_variance();
  const double variance = counts ? log_cost.variance_at(p, j) : 0.0;
  return kernels::log_cost_term(request.alpha, log_cost.mean_row(p, 0)[j], variance, moment_of(request.weight));
}

double score_at(const ScoreRequest& request, std::size_t p, std::size_t j) {
  return log_mean_improvement(request, p, j) + cost_term(request, p, j);
}

void check_score_request(const CpuCandidates& candidates, const ScoreRequest& request) {
  if (request.objective.empty()) throw InvalidOptions("score: at least one objective member is needed");
  std::size_t fantasies = 0;
  for (const Member& member : request.objective) {
    const auto* field = dynamic_cast<const CpuField*>(member.field);
    if (field == nullptr) throw InvalidOptions("score: the objective's field does not belong to the cpu backend");
    check_size(field->size(), candidates.size(), "score, candidates of the objective's field");
    if (!field->has_variance()) throw InvalidOptions("score: the objective's field must be swept with its variance");
    fantasies += field->means();
  }
  check_incumbents(request.incumbents, fantasies, request.alpha);
  if (request.log_cost == nullptr) return;
  if (dynamic_cast<const CpuField*>(request.log_cost) == nullptr)
    throw InvalidOptions("score: the log cost's field does not belong to the cpu backend");
  check_size(request.log_cost->size(), candidates.size(), "score, candidates of the log cost's field");
}

void score_panel(const CpuCandidates& candidates, const ScoreRequest& request, std::size_t p,
                 std::span<double, panel_width> out) {
  for (std::size_t j = 0; j < panel_width; ++j) {
    const bool allowed = may_be_picked(candidates, request, p, j);
    out[j] = allowed ? score_at(request, p, j) : -std::numeric_limits<double>::infinity();
  }
}

Pick pick_best(const CpuCandidates& candidates, const ScoreRequest& request) {
  std::vector<Pick> picks(candidates.panels());
  candidates.for_each_panel(1, [&](std::size_t, std::size_t p) {
    double scores[panel_width];
    score_panel(candidates, request, p, scores);
    for (std::size_t j = 0; j < panel_width; ++j)
      if (may_be_picked(candidates, request, p, j)) offer(picks[p], p * panel_width + j, scores[j]);
  });
  Pick best;
  for (const Pick& pick : picks) {
    if (pick.index != Pick::none) offer(best, pick.index, pick.score);
    if (pick.runner_up != Pick::none) offer(best, pick.runner_up, pick.runner_up_score);
  }
  return best;
}

}  // namespace carbo::internal
