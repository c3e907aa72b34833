#include "backend/cpu/score.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "acquisition/table.hpp"
#include "backend/checks.hpp"

namespace carbo::internal {
namespace {

template <class Score>
double score_under(const ScoreRequest& request, std::size_t p, std::size_t j) {
  const kernels::LogCost cost = log_cost_at(request, p, j);
  typename Score::Reduction terms;
  std::size_t fantasy = 0;
  for (const Member& member : request.objective) {
    const auto& field = static_cast<const CpuField&>(*member.field);
    const auto prepared = Score::prepare(request.acquisition, std::sqrt(field.variance_at(p, j)), cost);
    for (std::size_t f = 0; f < field.means(); ++f, ++fantasy)
      terms.add(Score::term(prepared, request.incumbents[fantasy], field.mean_row(p, f)[j]));
  }
  return terms.value(static_cast<double>(fantasy)) + Score::cost_term(request.acquisition, cost);
}

/// Keeps the best two; called in ascending order of index.
void offer(BestTwo& best, const Scored& one) {
  if (std::isnan(one.score)) return;
  if (best[0].index == Scored::none || one.score > best[0].score) {
    best[1] = best[0];
    best[0] = one;
  } else if (best[1].index == Scored::none || one.score > best[1].score) {
    best[1] = one;
  }
}

}  // namespace

double score_at(const ScoreRequest& request, std::size_t p, std::size_t j) {
  const auto score = [&](auto type) { return score_under<typename decltype(type)::type>(request, p, j); };
  return kernels::visit_score(request.acquisition.which, score, std::numeric_limits<double>::quiet_NaN());
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
  check_incumbents(request.incumbents, fantasies);
  check_acquisition(request.acquisition);
  if (request.log_cost == nullptr) return;
  const auto* log_cost = dynamic_cast<const CpuField*>(request.log_cost);
  if (log_cost == nullptr) throw InvalidOptions("score: the log cost's field does not belong to the cpu backend");
  check_has_values(*log_cost, "score, log cost");
  check_size(request.log_cost->size(), candidates.size(), "score, candidates of the log cost's field");
}

void score_panel(const CpuCandidates& candidates, const ScoreRequest& request, std::size_t p,
                 std::span<double, panel_width> out) {
  for (std::size_t j = 0; j < panel_width; ++j) {
    const bool allowed = may_be_picked(candidates, request, p, j);
    out[j] = allowed ? score_at(request, p, j) : -std::numeric_limits<double>::infinity();
  }
}

BestTwo pick_best(const CpuCandidates& candidates, const ScoreRequest& request) {
  std::vector<BestTwo> panels(candidates.panels());
  candidates.for_each_panel(1, [&](std::size_t, std::size_t p) {
    double scores[panel_width];
    score_panel(candidates, request, p, scores);
    for (std::size_t j = 0; j < panel_width; ++j)
      if (may_be_picked(candidates, request, p, j)) offer(panels[p], {p * panel_width + j, scores[j]});
  });
  BestTwo best;
  for (const BestTwo& panel : panels)
    for (const Scored& one : panel)
      if (one.index != Scored::none) offer(best, one);
  return best;
}

}  // namespace carbo::internal
