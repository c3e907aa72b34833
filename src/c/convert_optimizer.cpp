#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <carbo/error.hpp>

#include "c/convert.hpp"
#include "c/convert_parts.hpp"
#include "c/enumerators.hpp"
#include "c/status.hpp"
#include "gp/fit.hpp"

namespace carbo::internal::c {
namespace {

std::vector<std::string> labels(const carbo_parameter& given, const std::string& field) {
  std::vector<std::string> converted;
  for (const char* const label :
       elements(given.labels, given.count, (field + ".labels").c_str(), (field + ".count").c_str())) {
    require_pointer(label, (field + ".labels[" + std::to_string(converted.size()) + "]").c_str());
    converted.emplace_back(label);
  }
  return converted;
}

std::int64_t bound(double value, const std::string& name) {
  if (!(std::abs(value) <= 0x1p53 && value == std::trunc(value)))
    throw InvalidSpace(text(name, " is ", value, "; an integer parameter has whole bounds, up to 2^53"));
  return static_cast<std::int64_t>(value);
}

Parameter parameter(const carbo_parameter& given, const std::string& field) {
  require_struct_size(given.struct_size, sizeof given, field.c_str());
  require_pointer(given.name, (field + ".name").c_str());
  const std::string name = given.name;
  const auto scaled = [&](const Parameter& made) {
    return enumerated(given.scale, last_scale, (field + ".scale").c_str()) == Scale::log ? made.log() : made;
  };
  switch (enumerated(given.kind, last_parameter_kind, (field + ".kind").c_str())) {
    case ParameterKind::real:
      return scaled(real(name, given.lower, given.upper));
    case ParameterKind::integer:
      return scaled(integer(name, bound(given.lower, field + ".lower"), bound(given.upper, field + ".upper")));
    case ParameterKind::categorical:
      return scaled(categorical(name, labels(given, field)));
    case ParameterKind::ordinal:
      return scaled(ordinal(name, labels(given, field)));
    case ParameterKind::discrete:
      break;
  }
  const auto values = elements(given.values, given.count, (field + ".values").c_str(), (field + ".count").c_str());
  return scaled(discrete(name, {values.begin(), values.end()}));
}

SurrogateOptions surrogate(const carbo_surrogate_options& given, std::size_t parameters, const std::string& field) {
  SurrogateOptions options;
  options.estimation = enumerated(given.estimation, last_estimation, (field + ".estimation").c_str());
  options.noise_floor = given.noise_floor;
  options.restarts = count(given.restarts, (field + ".restarts").c_str(), 1);
  options.max_points = count(given.max_points, (field + ".max_points").c_str(), least_max_points);
  if (given.fixed == nullptr) return options;
  require_pointer(given.fixed->lengthscales, (field + ".fixed.lengthscales").c_str());
  options.fixed = Hyperparameters{{given.fixed->lengthscales, given.fixed->lengthscales + parameters},
                                  given.fixed->signal_variance,
                                  given.fixed->noise_variance,
                                  number_or_none(given.fixed->mean)};
  return options;
}

DesignOptions design(const carbo_design_options& given, const Space& space) {
  DesignOptions options;
  options.budget_share = given.budget_share;
  options.least_gain = given.least_gain;
  if (given.warm_start != -1) options.warm_start = count(given.warm_start, "design.warm_start");
  const std::size_t points = count(given.point_count, "design.point_count");
  if (points > 0) require_pointer(given.points, "design.points");
  const std::size_t width = space.parameters().size();
  for (std::size_t i = 0; i < points; ++i)
    options.points.push_back(space.configuration(std::span(given.points + i * width, width)));
  return options;
}

CandidateOptions candidates(const carbo_candidate_options& given, const Space& space) {
  CandidateOptions options;
  options.source = enumerated(given.source, last_source, "candidates.source");
  options.count = count(given.count, "candidates.count", 1);
  options.enumeration_limit = count(given.enumeration_limit, "candidates.enumeration_limit");
  options.renew = flag(given.renew, "candidates.renew");
  options.local_share = given.local_share;
  options.allow_repeats = flag(given.allow_repeats, "candidates.allow_repeats");
  options.pool = pool(given.pool, given.pool_rows, given.pool_file, space, "candidates.");
  return options;
}

CostOptions cost(const carbo_cost_options& given, std::size_t parameters, const CandidateOptions& candidates) {
  const std::size_t rows = candidates.pool ? candidates.pool->size() : 0;
  CostOptions options;
  options.model = enumerated(given.model, last_cost_model, "cost.model");
  options.error = enumerated(given.error, last_cost_error, "cost.error");
  options.weight = enumerated(given.weight, last_cost_weight, "cost.weight");
  options.robust = flag(given.robust, "cost.robust");
  for (const carbo_cost_feature& one :
       elements(given.features, given.feature_count, "cost.features", "cost.feature_count")) {
    const std::string field = text("cost.features[", options.features.size(), "]");
    require_struct_size(one.struct_size, sizeof one, field.c_str());
    std::optional<Quantity> value = quantity(one.value, rows, field + ".value");
    if (!value) throw InvalidOptions(text(field, ".value is empty; give an expression, a function or a column"));
    const bool is_work = flag(one.work, (field + ".work").c_str());
    if (one.name != nullptr)
      options.features.push_back(is_work ? work(one.name, *value) : feature(one.name, *value));
    else
      options.features.push_back(is_work ? work(*value) : feature(*value));
  }
  append_network_features(given, rows, options.features);
  options.known = quantity(given.known, rows, "cost.known");
  options.known_part = quantity(given.known_part, rows, "cost.known_part");
  options.surrogate = surrogate(given.surrogate, parameters, "cost.surrogate");
  if (given.unit != nullptr) options.unit = given.unit;
  return options;
}

}  // namespace

std::optional<double> number_or_none(double given) { return std::isnan(given) ? std::nullopt : std::optional(given); }

Space optimizer_space(const carbo_optimizer_options* given) {
  require_pointer(given, "options");
  require_struct_size(given->struct_size, sizeof *given, "options");
  std::vector<Parameter> parameters;
  for (const carbo_parameter& one :
       elements(given->parameters, given->parameter_count, "parameters", "parameter_count"))
    parameters.push_back(parameter(one, text("parameters[", parameters.size(), "]")));
  Space space(std::move(parameters));
  std::size_t number = 0;
  for (const carbo_constraint& one :
       elements(given->constraints, given->constraint_count, "constraints", "constraint_count")) {
    const std::string field = text("constraints[", number++, "]");
    space.constrain(predicate(one, field), description(one));
  }
  return space;
}

Options optimizer_options(const carbo_optimizer_options& given, const Space& space) {
  const std::size_t parameters = space.parameters().size();
  Options options;
  options.budget = given.budget;
  options.batch_size = count(given.batch_size, "batch_size", 1);
  options.seed = given.seed;
  options.acquisition = enumerated(given.acquisition, last_acquisition, "acquisition");
#define CARBO_COPY(name, standard, lowest, highest) \
  options.acquisition_parameters.name = given.acquisition_parameters.name;
  CARBO_ACQUISITION_PARAMETERS(CARBO_COPY)
#undef CARBO_COPY
  options.initial_design = enumerated(given.initial_design, last_design, "initial_design");
  options.goal = enumerated(given.goal, last_goal, "goal");
  options.execution = enumerated(given.execution, last_execution, "execution");
  options.accounting = enumerated(given.accounting, last_accounting, "accounting");
  options.batches = enumerated(given.batches, last_batches, "batches");
  options.pick_cost = enumerated(given.pick_cost, last_pick_cost, "pick_cost");
  options.strict = flag(given.strict, "strict");
  if (given.max_evaluations != 0) options.max_evaluations = count(given.max_evaluations, "max_evaluations");
  options.target = number_or_none(given.target);
  options.transform = enumerated(given.transform, last_transform, "transform");
  options.incumbent = enumerated(given.incumbent, last_incumbent, "incumbent");
  options.surrogate = surrogate(given.surrogate, parameters, "surrogate");
  options.design = design(given.design, space);
  options.candidates = candidates(given.candidates, space);
  options.cost = cost(given.cost, parameters, options.candidates);
  options.fantasies.count = count(given.fantasies.count, "fantasies.count", 1);
  options.fantasies.mode = enumerated(given.fantasies.mode, last_fantasy_mode, "fantasies.mode");
  options.failures.penalize = flag(given.failures.penalize, "failures.penalize");
  options.failures.max_consecutive = count(given.failures.max_consecutive, "failures.max_consecutive", 1);
  options.evaluation.timeout = number_or_none(given.evaluation.timeout);
  options.evaluation.timeout_factor = number_or_none(given.evaluation.timeout_factor);
  options.stopping.price = number_or_none(given.stopping.price);
  options.stopping.enforce = flag(given.stopping.enforce, "stopping.enforce");
  options.backend = backend_options(given.backend);
  return options;
}

}  // namespace carbo::internal::c
