#include <limits>

#include "c/convert.hpp"
#include "c/enumerators.hpp"

namespace carbo::internal::c {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

int64_t signed_of(std::size_t value) { return static_cast<int64_t>(value); }

carbo_surrogate_options surrogate(const SurrogateOptions& from) {
  return {static_cast<carbo_estimation>(from.estimation), from.noise_floor, signed_of(from.restarts),
          signed_of(from.max_points), nullptr};
}

}  // namespace

/// What is not set here is 0 or null, as are the first enumerators, which are the defaults.
carbo_optimizer_options default_optimizer_options() {
  const Options from;
  carbo_optimizer_options to{};
  to.struct_size = sizeof to;
  to.budget = from.budget;
  to.batch_size = signed_of(from.batch_size);
  to.seed = from.seed;
  to.acquisition = static_cast<carbo_acquisition>(from.acquisition);
#define CARBO_COPY(name, standard, lowest, highest) to.acquisition_parameters.name = from.acquisition_parameters.name;
  CARBO_ACQUISITION_PARAMETERS(CARBO_COPY)
#undef CARBO_COPY
  to.initial_design = static_cast<carbo_initial_design>(from.initial_design);
  to.goal = static_cast<carbo_goal>(from.goal);
  to.execution = static_cast<carbo_execution>(from.execution);
  to.accounting = static_cast<carbo_accounting>(from.accounting);
  to.batches = static_cast<carbo_batches>(from.batches);
  to.pick_cost = static_cast<carbo_pick_cost>(from.pick_cost);
  to.transform = static_cast<carbo_transform>(from.transform);
  to.incumbent = static_cast<carbo_incumbent>(from.incumbent);
  to.strict = from.strict ? 1 : 0;
  to.target = none;
  to.surrogate = surrogate(from.surrogate);
  to.design = {from.design.budget_share, -1, nullptr, 0, from.design.least_gain};
  to.candidates.source = static_cast<carbo_candidate_source>(from.candidates.source);
  to.candidates.count = signed_of(from.candidates.count);
  to.candidates.enumeration_limit = signed_of(from.candidates.enumeration_limit);
  to.candidates.renew = from.candidates.renew ? 1 : 0;
  to.candidates.local_share = from.candidates.local_share;
  to.candidates.allow_repeats = from.candidates.allow_repeats ? 1 : 0;
  to.cost.model = static_cast<carbo_cost_model>(from.cost.model);
  to.cost.error = static_cast<carbo_cost_error>(from.cost.error);
  to.cost.weight = static_cast<carbo_cost_weight>(from.cost.weight);
  to.cost.robust = from.cost.robust ? 1 : 0;
  to.cost.surrogate = surrogate(from.cost.surrogate);
  to.cost.unit = "s";
  to.fantasies = {signed_of(from.fantasies.count), static_cast<carbo_fantasy_mode>(from.fantasies.mode)};
  to.failures = {from.failures.penalize ? 1 : 0, signed_of(from.failures.max_consecutive)};
  to.evaluation = {none, none};
  to.stopping = {none, from.stopping.enforce ? 1 : 0};
  to.backend.kind = static_cast<carbo_backend>(from.backend.kind);
  to.backend.threads = signed_of(from.backend.threads);
  to.backend.tile = signed_of(from.backend.tile);
  to.backend.memory_bytes = signed_of(from.backend.memory_bytes);
  to.backend.device = from.backend.device;
  return to;
}

}  // namespace carbo::internal::c
