#include "cost/model_choice.hpp"

#include <cmath>
#include <numeric>

namespace carbo::internal {
namespace {

constexpr double least_gain = 1.0;

double total(const ModelEvidence& model) {
  return std::accumulate(model.log_densities.begin(), model.log_densities.end(), 0.0);
}

/// Standard error of the sum of differences between two models' densities.
double standard_error(const ModelEvidence& a, const ModelEvidence& b) {
  const double count = static_cast<double>(a.log_densities.size());
  const double mean = (total(a) - total(b)) / count;
  double squares = 0;
  for (std::size_t i = 0; i < a.log_densities.size(); ++i) {
    const double offset = a.log_densities[i] - b.log_densities[i] - mean;
    squares += offset * offset;
  }
  return count > 1 ? std::sqrt(squares * count / (count - 1.0)) : 0.0;
}

}  // namespace

std::vector<CostModelScore> model_scores(std::span<const ModelEvidence> evidence) {
  std::vector<CostModelScore> scores;
  for (const ModelEvidence& one : evidence) {
    scores.push_back({one.kind, total(one) / static_cast<double>(one.log_densities.size())});
  }
  return scores;
}

CostModelKind choose_model(std::optional<CostModelKind> current, std::span<const ModelEvidence> evidence) {
  const ModelEvidence* best = &evidence.front();
  const ModelEvidence* holder = nullptr;
  for (const ModelEvidence& one : evidence) {
    if (total(one) > total(*best)) best = &one;
    if (one.kind == current) holder = &one;
  }
  if (holder == nullptr || best == holder) return best->kind;
  const double gain = total(*best) - total(*holder);
  return gain > least_gain + standard_error(*best, *holder) ? best->kind : holder->kind;
}

}  // namespace carbo::internal
