#include "driver/random_study.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/not_finite.hpp"

namespace carbo::test {
namespace {

using carbo::test::infinity;
using carbo::test::not_a_number;

Parameter random_parameter(Dice& dice, const std::string& name) {
  switch (dice.below(8)) {
    case 0:
      return real(name, -1e6, 3e9);
    case 1:
      return real(name, 1e-9, 1e3).log();
    case 2:
      return integer(name, -2, static_cast<std::int64_t>(dice.between(0, 40)));
    case 3:
      return integer(name, 1, 100000).log();
    case 4:
      return categorical(name, {"red", "green", "blue"});
    case 5:
      return ordinal(name, {"low", "high"});
    case 6:
      return discrete(name, {-3.5, 0.0, 1e-3, 7.0});
    default:
      return real(name, 0.0, 1.0);
  }
}

/// Where a number lies between the bounds, on a linear scale.
double share(const Parameter& parameter, double number) {
  const double upper =
      parameter.labels().empty() ? parameter.upper() : static_cast<double>(parameter.labels().size() - 1);
  const double lower = parameter.labels().empty() ? parameter.lower() : 0.0;
  return (number - lower) / (upper - lower);
}

constexpr const char* constraint = "not in the highest corner";

bool allowed(std::span<const Parameter> parameters, std::span<const double> numbers) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (share(parameters[i], numbers[i]) <= 0.7) return true;
  return false;
}

std::shared_ptr<const Pool> random_pool(Dice& dice, const Space& space) {
  std::vector<double> numbers;
  const std::size_t wanted = dice.between(1, 30);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < 40 * wanted && rows < wanted; ++i) {
    std::vector<double> unit(space.parameters().size()), row(unit.size());
    for (double& one : unit) one = dice.uniform();
    space.from_unit(unit, row);
    if (!belongs(space, row)) continue;
    numbers.insert(numbers.end(), row.begin(), row.end());
    ++rows;
  }
  return rows == 0 ? nullptr : std::make_shared<const Pool>(space, numbers, rows);
}

void choose_costs(Dice& dice, const Space& space, Options& options) {
  CostOptions& cost = options.cost;
  cost.unit = dice.one_of({"s", "min", "credits"});
  cost.robust = dice.chance(0.3);
  cost.weight = dice.one_of({CostWeight::median, CostWeight::mean, CostWeight::moment});
  cost.surrogate.restarts = 1;
  const Parameter& first = space.parameters().front();
  const auto price = [](const Configuration& x) { return 1.0 + std::abs(std::sin(x.numbers()[0])); };
  switch (dice.below(6)) {
    case 0:
      cost.known = price;
      break;
    case 1:
      cost.known_part = price;
      break;
    case 2:
      cost.model = CostModelKind::linear;
      cost.features = {feature(price)};
      break;
    case 3:
      cost.model = dice.one_of({CostModelKind::linear_mean_gp, CostModelKind::automatic});
      cost.features = {feature(price)};
      if (first.labels().empty()) cost.features.push_back(feature(first.name()));
      break;
    case 4:
      cost.model = CostModelKind::log_gp;
      break;
    default:
      break;
  }
}

void choose_candidates(Dice& dice, const Space& space, const Extremes& extremes, Options& options) {
  CandidateOptions& candidates = options.candidates;
  candidates.count = dice.between(2, 48);
  candidates.renew = dice.chance(0.7);
  candidates.local_share = dice.one_of({0.0, 0.4, 1.0});
  candidates.allow_repeats = dice.chance(0.2);
  candidates.enumeration_limit = dice.one_of<std::size_t>({0, 300});
  if (dice.chance(0.2)) candidates.pool = random_pool(dice, space);
  options.backend.kind = BackendKind::cpu;
  options.backend.memory_bytes = std::size_t{1} << 30;
  if (!extremes.tight_memory || candidates.pool || !dice.chance(0.02)) return;
  candidates.count = 9000;
  options.backend.memory_bytes = 3200000;
}

}  // namespace

Space random_space(Dice& dice) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < dice.between(1, 4); ++i)
    parameters.push_back(random_parameter(dice, std::string(1, static_cast<char>('a' + i))));
  Space space(parameters);
  if (dice.chance(0.25))
    space.constrain([](const Configuration& x) { return allowed(x.parameters(), x.numbers()); }, constraint);
  return space;
}

Options random_options(Dice& dice, const Space& space, const Extremes& extremes) {
  Options options{.budget = dice.uniform(3.0, 120.0), .batch_size = dice.between(1, 4), .seed = dice.next()};
  options.acquisition =
      dice.one_of({Acquisition::ei_cool, Acquisition::ei_cool, Acquisition::ei_cool, Acquisition::ei_per_cost,
                   Acquisition::ei, Acquisition::random, Acquisition::gittins, Acquisition::mes_cool});
  if (dice.chance(0.3)) options.acquisition_parameters.lambda = std::exp(dice.uniform(-20, 20));
  options.initial_design = dice.one_of({InitialDesign::cost_effective, InitialDesign::paper, InitialDesign::uniform});
  options.goal = dice.one_of({Goal::minimize, Goal::maximize});
  options.execution = dice.one_of({Execution::synchronous, Execution::asynchronous});
  options.strict = dice.chance(0.2);
  if (dice.chance(0.3)) options.max_evaluations = dice.between(1, 40);
  if (dice.chance(0.05)) options.target = dice.uniform(-3.0, 3.0);
  options.transform = dice.one_of({Transform::none, Transform::automatic, Transform::automatic, Transform::rank,
                                   Transform::log, Transform::shifted_log, Transform::power, Transform::half_rank});
  options.incumbent = dice.one_of({Incumbent::lowest_observed, Incumbent::posterior_mean});
  options.surrogate.restarts = 1;
  options.surrogate.estimation = dice.one_of({Estimation::map, Estimation::maximum_likelihood});
  options.design.budget_share = dice.uniform(0.05, 0.5);
  if (dice.chance(0.7)) options.design.warm_start = dice.between(0, 4);
  if (dice.chance(0.5)) options.design.least_gain = dice.one_of({0.0, 0.05, 0.2, 0.8, 1.0});
  if (dice.chance(0.3)) options.acquisition_parameters.cooling = dice.one_of({0.0, 0.3, 2.0, 100.0});
  options.fantasies.count = dice.between(1, 4);
  options.fantasies.mode = dice.one_of({FantasyMode::shared, FantasyMode::batched});
  options.failures.penalize = dice.chance(0.7);
  choose_costs(dice, space, options);
  if (options.acquisition == Acquisition::gittins && options.cost.weight == CostWeight::moment)
    options.cost.weight = CostWeight::mean;
  choose_candidates(dice, space, extremes, options);
  if (options.acquisition != Acquisition::random && dice.chance(0.3))
    options.stopping = {.price = std::exp(dice.uniform(-15, 15)), .enforce = dice.chance(0.5)};
  const bool time = options.cost.unit != "credits";
  options.accounting = time ? dice.one_of({Accounting::sum, Accounting::longest}) : Accounting::automatic;
  if (options.accounting == Accounting::longest && options.execution == Execution::synchronous)
    options.batches = dice.one_of({Batches::fixed, Batches::fill, Batches::top_up});
  options.pick_cost = dice.one_of({PickCost::in_round, PickCost::own});
  return options;
}

RestoreOptions given_again(const Space& space, const Options& options) {
  RestoreOptions given;
  if (space.constrained())
    given.constraints[constraint] = [](const Configuration& x) { return allowed(x.parameters(), x.numbers()); };
  const auto give = [&](const std::string& name, const Quantity& quantity) {
    if (std::holds_alternative<Quantity::Function>(quantity.source())) given.quantities.emplace(name, quantity);
  };
  if (options.cost.known) give("cost.known", *options.cost.known);
  if (options.cost.known_part) give("cost.known_part", *options.cost.known_part);
  for (std::size_t i = 0; i < options.cost.features.size(); ++i)
    give("cost.features[" + std::to_string(i) + "]", options.cost.features[i].value);
  return given;
}

Evaluation random_evaluation(Dice& dice, const Options& options, const Extremes& extremes) {
  const bool positive = options.transform == Transform::log;
  Evaluation evaluation{dice.uniform(-3.0, 3.0), dice.uniform(0.05, 4.0)};
  if (dice.chance(0.2)) evaluation.objective = dice.one_of({0.0, 1.0, -0.0, 1e-3});
  if (dice.chance(0.05)) evaluation.objective = dice.one_of({1e8, -1e8, 1e-12});
  if (dice.chance(0.2)) evaluation.cost = dice.one_of({1.0, 1.0, 2.5});
  if (dice.chance(0.03)) evaluation.cost = dice.one_of({1e-6, 10.0, 1e4});
  if (extremes.values && dice.chance(0.1))
    evaluation.objective = dice.one_of({5e-324, -5e-324, 1e-160, -1e160, 1e160, 1e308, -1e308});
  if (extremes.values && dice.chance(0.1)) evaluation.cost = dice.one_of({5e-324, 1e-160, 1e160, 1e308});
  if (positive && !(evaluation.objective > 0)) evaluation.objective = 0.5 - evaluation.objective;
  return evaluation;
}

Evaluation refused_evaluation(Dice& dice, const Options& options) {
  if (options.transform == Transform::log && dice.chance(0.5)) return {dice.one_of({0.0, -0.0, -1.0, -5e-324}), 1.0};
  if (dice.chance(0.5)) return {dice.one_of({not_a_number, infinity, -infinity}), 1.0};
  return {1.0, dice.one_of({0.0, -0.0, -1.0, -5e-324, not_a_number, infinity, -infinity})};
}

bool belongs(const Space& space, std::span<const double> numbers) {
  const std::vector<Parameter>& parameters = space.parameters();
  if (numbers.size() != parameters.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const double number = numbers[i];
    const bool labelled = !parameter.labels().empty();
    const double lower = labelled ? 0.0 : parameter.lower();
    const double upper = labelled ? static_cast<double>(parameter.labels().size() - 1) : parameter.upper();
    if (!(number >= lower && number <= upper)) return false;
    if ((labelled || parameter.kind() == ParameterKind::integer) && number != std::floor(number)) return false;
    if (parameter.kind() == ParameterKind::discrete && !std::ranges::count(parameter.values(), number)) return false;
  }
  return !space.constrained() || allowed(parameters, numbers);
}

}  // namespace carbo::test
