#include "engine/warnings.hpp"

#include <algorithm>
#include <limits>

#include <carbo/to_string.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Warnings = std::vector<std::string>;

/// Beyond this ratio of its bounds a linear scale leaves most decades of a parameter out of sight.
constexpr double ratio_for_log_scale = 1000;
constexpr double overspent_by_far = 2;
constexpr std::size_t fewest_objectives = 5;
constexpr std::size_t fewest_evaluations = 4;

struct Totals {
  std::size_t evaluations = 0;
  std::size_t failures = 0;
  double cost = 0;
  std::string last_reason;
};

Totals totals_of(std::span<const Observation> observations) {
  Totals totals;
  for (const Observation& seen : observations) {
    if (seen.origin != Origin::this_run) continue;
    ++totals.evaluations;
    totals.cost = std::min(totals.cost + seen.cost, std::numeric_limits<double>::max());
    if (seen.status == ObservationStatus::succeeded) continue;
    ++totals.failures;
    totals.last_reason = seen.reason;
  }
  return totals;
}

void check_scales(const RunFacts& facts, Warnings& warnings) {
  for (const Parameter& parameter : facts.space.parameters()) {
    const bool numeric = parameter.kind() == ParameterKind::real || parameter.kind() == ParameterKind::integer;
    if (!numeric || parameter.scale() == Scale::log || !(parameter.lower() > 0)) continue;
    if (parameter.upper() / parameter.lower() <= ratio_for_log_scale) continue;
    warnings.push_back(text("parameter '", parameter.name(), "' goes from ", parameter.lower(), " to ",
                            parameter.upper(), " on a linear scale; .log() would search all its decades alike"));
  }
}

void check_settings(const RunFacts& facts, Warnings& warnings) {
  const CostOptions& cost = facts.options.cost;
  const bool unused = cost.model == CostModelKind::log_gp || cost.model == CostModelKind::known || cost.known;
  if (!cost.features.empty() && unused) {
    const CostModelKind model = cost.known ? CostModelKind::known : cost.model;
    warnings.push_back(text("cost.features are given, but cost.model is ", to_string(model),
                            ", which does not use them; automatic compares models with and without them"));
  }
  if (facts.candidates && facts.options.batch_size > *facts.candidates) {
    warnings.push_back(
        text("batch_size is ", facts.options.batch_size, ", but there are only ", *facts.candidates, " candidates"));
  }
}

void check_accounting(const RunFacts& facts, const Totals& totals, Warnings& warnings) {
  const std::string& unit = facts.options.cost.unit;
  const bool unsaid = facts.accounting_automatic && facts.options.accounting == Accounting::longest;
  if (unsaid && facts.spent < totals.cost && totals.cost > facts.options.budget) {
    warnings.push_back(text("costs add up to ", totals.cost, " ", unit, ", of which ", facts.spent,
                            " count: the unit is time, so the accounting is `longest`, and what runs at the same "
                            "time counts once; say Accounting::sum to count all, or Accounting::longest to confirm"));
  }
  if (facts.spent > overspent_by_far * facts.options.budget) {
    warnings.push_back(text(facts.spent, " ", unit, " were spent of a budget of ", facts.options.budget,
                            "; evaluation.timeout cuts off what costs far more than is left, and strict does not "
                            "start what is predicted to"));
  }
}

void check_course(const RunFacts& facts, const Totals& totals, Warnings& warnings) {
  const bool by_count = facts.reason == StopReason::evaluations;
  const bool used_up = by_count || facts.reason == StopReason::budget || facts.reason == StopReason::strict_budget;
  const InitialDesign design = facts.options.initial_design;
  const bool as_asked = by_count && (design == InitialDesign::uniform || design == InitialDesign::points);
  if (used_up && facts.suggested == 0) {
    warnings.push_back(text("nothing was suggested: the ", totals.evaluations,
                            " observations told as Origin::this_run use up the run; those of another study are "
                            "Origin::prior"));
  } else if (used_up && !as_asked && !facts.searched && facts.options.acquisition != Acquisition::random) {
    warnings.push_back(text("the run was over before the search began: all ", totals.evaluations,
                            " evaluations belong to the initial design; give a larger ",
                            by_count ? "max_evaluations" : "budget"));
  }
  if (totals.evaluations >= fewest_evaluations && 2 * totals.failures >= totals.evaluations) {
    warnings.push_back(text(totals.failures, " of ", totals.evaluations, " evaluations failed",
                            totals.last_reason.empty() ? "" : ", the last with: ", totals.last_reason));
  }
}

void check_objectives(const RunFacts& facts, Warnings& warnings) {
  std::vector<double> objectives;
  for (const Observation& seen : facts.observations) {
    if (seen.status == ObservationStatus::succeeded) objectives.push_back(seen.objective);
  }
  if (objectives.size() < fewest_objectives) return;
  const auto [low, high] = std::ranges::minmax(objectives);
  if (low == high) warnings.push_back(text("all ", objectives.size(), " objectives are ", low));
}

}  // namespace

std::vector<std::string> warnings_of(const RunFacts& facts) {
  Warnings warnings;
  const Totals totals = totals_of(facts.observations);
  check_scales(facts, warnings);
  check_settings(facts, warnings);
  check_accounting(facts, totals, warnings);
  check_course(facts, totals, warnings);
  check_objectives(facts, warnings);
  return warnings;
}

}  // namespace carbo::internal
