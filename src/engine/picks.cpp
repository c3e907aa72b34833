#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "acquisition/choose.hpp"
#include "engine/optimizer_state.hpp"
#include "support/random.hpp"
#include "support/stopwatch.hpp"

namespace carbo {

using internal::Draw;
using internal::KnownPoint;
using internal::LearnedPoint;
using internal::StageTimer;

namespace {

/// Draws before a uniform pick gives up finding a point that is new and affordable.
constexpr int uniform_tries = 1000;
/// How many of the best points a renewed set is dense round.
constexpr std::size_t local_centres = 5;

}  // namespace

std::vector<KnownPoint> Optimizer::State::known_points(const Batch& batch) const {
  std::vector<KnownPoint> known;
  for (const LearnedPoint& point : history_.learned()) known.push_back({point.numbers, point.encoded});
  for (const auto& [id, point] : history_.pending()) known.push_back({point.configuration.numbers(), point.encoded});
  for (std::size_t i = 0; i < batch.suggestions.size(); ++i) {
    known.push_back({batch.suggestions[i].configuration.numbers(), batch.encoded[i]});
  }
  return known;
}

internal::LocalCentres Optimizer::State::best_points() const {
  internal::LocalCentres centres;
  for (const LearnedPoint* point : history_.best_learned(options_.goal, local_centres)) {
    centres.numbers.push_back(point->numbers);
  }
  return centres;
}

internal::DesignState Optimizer::State::design_state(const Batch& batch) const {
  return {points_known() + batch.suggestions.size(), batch.points_served, batch.spent, batch.committed,
          history_.evaluated_in_run() + history_.pending().size()};
}

bool Optimizer::State::needs_models() const {
  const bool racing = !plan_.ended() && plan_.races();
  return racing || options_.strict || internal::scores(options_.acquisition);
}

bool Optimizer::State::is_known(const Batch& batch, std::span<const double> numbers) const {
  return std::ranges::any_of(known_points(batch),
                             [&](const KnownPoint& point) { return std::ranges::equal(point.numbers, numbers); });
}

std::optional<std::size_t> Optimizer::State::uniform_row(const Batch& batch, const internal::Field* log_cost) {
  const std::size_t rows = store_.table().rows;
  const double limit = strict_log_limit(batch);
  for (int i = 0; i < uniform_tries && store_.set().available() > 0; ++i) {
    const double u = internal::uniform(options_.seed, Draw::random_pick, draws_++);
    const std::size_t row = std::min(rows - 1, static_cast<std::size_t>(u * static_cast<double>(rows)));
    if (store_.available(row) && (log_cost == nullptr || log_cost->mean(row) <= limit)) return row;
  }
  if (log_cost != nullptr) {
    const std::size_t row = backend_->race(store_.set(), *log_cost, limit);
    return row == internal::Scored::none ? std::nullopt : std::optional(row);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    if (store_.available(row)) return row;
  }
  return std::nullopt;
}

std::optional<Configuration> Optimizer::State::uniform_configuration(const Batch& batch,
                                                                     const internal::KnownPoints& known) {
  for (int i = 0; i < uniform_tries; ++i) {
    const auto numbers = internal::uniform_draw(space_, options_.seed, draws_++);
    if (!numbers || known.contains(*numbers)) continue;
    Configuration configuration = space_.configuration(*numbers);
    if (affordable(batch, configuration, std::nullopt)) return configuration;
  }
  return std::nullopt;
}

bool Optimizer::State::affordable(const Batch& batch, const Configuration& configuration,
                                  std::optional<std::size_t> pool_row) const {
  if (!options_.strict || !models_.cost().ready()) return true;
  const std::vector<double> encoded = space_.encode(configuration);
  return models_.cost().predict({encoded, configuration.numbers(), pool_row}).mean <= strict_log_limit(batch);
}

double Optimizer::State::strict_log_limit(const Batch& batch) const {
  if (!options_.strict) return std::numeric_limits<double>::infinity();
  const double beside = options_.accounting == Accounting::sum ? batch.predicted : 0.0;
  const double room = ledger_.room(options_.budget, batch.pending_costs, batch.suggestions.size()) - beside;
  return room > 0 ? std::log(room) : -std::numeric_limits<double>::infinity();
}

bool Optimizer::State::counts_rounds() const {
  return options_.pick_cost == PickCost::in_round && options_.execution == Execution::synchronous &&
         options_.accounting != Accounting::sum;
}

double Optimizer::State::log_length(const Batch& batch) const {
  double longest = -std::numeric_limits<double>::infinity();
  for (const internal::LogCost& cost : predicted_costs(batch)) longest = std::max(longest, cost.mean);
  return longest;
}

std::vector<internal::LogCost> Optimizer::State::predicted_costs(const Batch& batch) const {
  std::vector<internal::CostPoint> points;
  for (std::size_t i = 0; i < batch.suggestions.size(); ++i) {
    const Suggestion& suggestion = batch.suggestions[i];
    points.push_back({batch.encoded[i], suggestion.configuration.numbers(), suggestion.pool_index});
  }
  return models_.cost().predictions(points);
}

double Optimizer::State::log_cost_limit(const Batch& batch, Phase phase) const {
  const double room = batch.round.room(phase);
  const double log_room = room > 0 ? std::log(room) : -std::numeric_limits<double>::infinity();
  return std::min(log_room, strict_log_limit(batch));
}

void Optimizer::State::add(Batch& batch, Configuration configuration, Receipt receipt,
                           std::optional<std::size_t> pool_index) {
  std::vector<double> encoded = space_.encode(configuration);
  receipt.backend = backend_->name();
  receipt.backend_reason = backend_choice_.reason;
  receipt.spent = batch.spent;
  receipt.committed = batch.committed;
  receipt.design_gain = batch.design_gain ? batch.design_gain : plan_.gain();
  if (receipt.phase == Phase::search) receipt.design_end = plan_.ended() ? plan_.why_ended() : batch.design_end;
  receipt.progress = std::min(batch.used / options_.budget, std::numeric_limits<double>::max());
  double cost = 0;
  if ((options_.strict || batch.round.queues()) && models_.cost().ready()) {
    cost = internal::median_cost(models_.cost().predict({encoded, configuration.numbers(), pool_index}));
  }
  batch.predicted += cost;
  const internal::Seat seat = batch.round.add(cost);
  receipt.round_length = batch.round.length();
  const std::uint64_t id = next_id_ + batch.suggestions.size();
  batch.suggestions.push_back(
      {id, std::move(configuration), pool_index, std::move(receipt), {}, seat.slot, seat.order});
  batch.encoded.push_back(std::move(encoded));
}

void Optimizer::State::add_row(Batch& batch, std::size_t row, Receipt receipt) {
  add(batch, store_.configuration(row), std::move(receipt), store_.pool_index(row));
}

void Optimizer::State::predict(Batch& batch) const {
  if (batch.suggestions.empty()) return;
  const StageTimer timer(batch.seconds.pick);
  for (Suggestion& suggestion : batch.suggestions) suggestion.timeout = options_.evaluation.timeout;
  if (models_.cost().ready()) predict_costs(batch);
  if (models_.objective_ready()) predict_objectives(batch);
}

std::optional<double> Optimizer::State::timeout_of(double predicted_cost) const {
  const std::optional<double> timeout = options_.evaluation.timeout;
  if (!options_.evaluation.timeout_factor) return timeout;
  const double multiple =
      std::min(*options_.evaluation.timeout_factor * predicted_cost, std::numeric_limits<double>::max());
  return std::min(timeout.value_or(multiple), multiple);
}

void Optimizer::State::predict_costs(Batch& batch) const {
  const internal::CostModel& model = models_.cost();
  const std::vector<internal::LogCost> costs = predicted_costs(batch);
  double length = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double median = internal::median_cost(costs[i]);
    length = std::max(length, median);
    batch.suggestions[i].timeout = timeout_of(median);
    Receipt& receipt = batch.suggestions[i].receipt;
    if (counts_rounds() && !batch.round.queues()) receipt.round_length = length;
    receipt.predicted_cost = median;
    receipt.predicted_log_cost_sd = std::sqrt(costs[i].variance);
    receipt.cost_jitter = model.jitter();
    receipt.cost_calibration = model.calibration();
    receipt.cost_points = model.points();
    receipt.cost_model = model.kind();
    receipt.cost_model_scores = model.scores();
  }
}

void Optimizer::State::predict_objectives(Batch& batch) const {
  std::vector<double> points;
  for (const std::vector<double>& one : batch.encoded) points.insert(points.end(), one.begin(), one.end());
  const auto objectives = models_.predict_objective({points.data(), batch.encoded.size(), space_.encoded_columns()});
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    Receipt& receipt = batch.suggestions[i].receipt;
    receipt.predicted_objective = objectives[i].median;
    receipt.predicted_objective_sd = objectives[i].standardised_deviation;
    const auto [lower, upper] = models_.measured_interval(objectives[i]);
    receipt.predicted_objective_lower = lower;
    receipt.predicted_objective_upper = upper;
    receipt.objective_jitter = models_.objective().jitter();
    receipt.objective_calibration = models_.objective().calibration();
    receipt.objective_points = models_.objective().points();
    receipt.transform = models_.transform();
    receipt.transform_scores = models_.transform_choice().scores;
  }
}

std::map<std::uint64_t, double> Optimizer::State::predicted_pending_costs() const {
  std::map<std::uint64_t, double> costs;
  if (!models_.cost().ready()) return costs;
  std::vector<internal::CostPoint> points;
  for (const auto& [id, point] : history_.pending()) {
    points.push_back({point.encoded, point.configuration.numbers(), point.pool_row});
  }
  const std::vector<internal::LogCost> predicted = models_.cost().predictions(points);
  auto next = predicted.begin();
  for (const auto& [id, point] : history_.pending()) costs[id] = internal::median_cost(*next++);
  return costs;
}

}  // namespace carbo
