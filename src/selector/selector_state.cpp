#include "selector/selector_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "memory/memory_plan.hpp"
#include "memory/memory_request.hpp"
#include "models/fit_models.hpp"
#include "support/row_hash.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;
using Reason = InvalidArray::Reason;

namespace {

constexpr std::size_t most_columns = 100;
constexpr std::size_t most_pool_rows = (std::size_t{1} << 32) - 1;

/// Columns as the real parameters x0, x1, … of the unit cube, which are their own encoding.
Space space_of(std::size_t columns) {
  if (columns < 1 || columns > most_columns)
    throw InvalidOptions(text("columns is ", columns, "; give 1 to ", most_columns));
  std::vector<Parameter> parameters;
  for (std::size_t c = 0; c < columns; ++c) parameters.push_back(real(text("x", c), 0.0, 1.0));
  return Space(std::move(parameters));
}

/// Every column has a lengthscale of its own.
std::vector<int> column_groups(std::size_t columns) {
  std::vector<int> groups(columns);
  std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

void check_in_cube(std::span<const double> points, std::size_t columns, const std::string& name) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!(points[i] >= 0 && points[i] <= 1)) internal::throw_outside_cube(points[i], name, i / columns, i % columns);
}

}  // namespace

Selector::State::State(SelectorOptions options, const DeviceResources& resources)
    : options_(std::move(options)),
      space_(space_of(options_.columns)),
      backend_(internal::make_backend(options_.backend, &choice_, resources)),
      arrays_(backend_->device_access(), choice_.reason),
      learner_(make_learner({})) {
  internal::validate(options_.fantasies);
  if (!choice_.on_device && (resources.stream || resources.allocator))
    throw BackendUnavailable("a stream or an allocator was given, but the selector runs on the host (" +
                             choice_.reason + "); give neither, or ask for BackendKind::cuda");
}

Selector::State::Learner::Learner(const Space& space, const SelectorOptions& options, CostOptions wanted,
                                  internal::Backend& backend, std::optional<std::size_t> pool_rows)
    : cost(std::move(wanted)),
      models(backend, column_groups(options.columns),
             {.objective = options.surrogate,
              .transform = options.transform,
              .goal = options.goal,
              .pool_rows_alone = internal::uses_pool_column(cost),
              .seed = options.seed},
             internal::make_cost_model(space, cost, backend, pool_rows)) {}

std::unique_ptr<Selector::State::Learner> Selector::State::make_learner(std::span<const double> known_costs) const {
  CostOptions cost = options_.cost;
  std::optional<std::size_t> pool_rows;
  if (!known_costs.empty()) {
    pool_rows = known_costs.size();
    cost.model = CostModelKind::known;
    cost.features.clear();
    cost.known_part.reset();
    cost.known = Quantity::pool_column({known_costs.begin(), known_costs.end()});
  }
  return std::make_unique<Learner>(space_, options_, std::move(cost), *backend_, pool_rows);
}

bool Selector::State::numbers_needed(bool costs_known) const {
  const CostOptions& cost = options_.cost;
  if (costs_known) return false;
  return cost.model != CostModelKind::log_gp || cost.known_part.has_value();
}

MemoryRequest Selector::State::memory_request(std::size_t rows, std::size_t picks) const {
  MemoryRequest request = internal::memory_of(space_, options_);
  request.candidates = rows;
  request.observations = points_.size();
  request.copies = learned_.size() - points_.size();
  request.batch = std::max<std::size_t>(picks + running_.size(), 1);
  request.on_device = choice_.on_device;
  request.may_stream = false;
  request.budget = choice_.memory_bytes;
  return request;
}

MemoryPlan Selector::State::plan(std::size_t rows, std::size_t picks, std::size_t others) const {
  MemoryRequest request = memory_request(rows, picks);
  const std::size_t needed = internal::least_memory(backend_->footprint(), request) + others;
  if (choice_.on_device) {
    request.budget = std::max(request.budget, needed);
  } else if (needed > request.budget) {
    throw OutOfMemory(text("a pool of ", rows, " rows, ", learned_.size(), " observations and ",
                           picks + running_.size(), " rows suggested or running need ", needed,
                           " bytes with the smallest models, but the budget is ", choice_.memory_bytes,
                           "; raise backend.memory_bytes, ask for fewer, or give a smaller pool"));
  }
  request.budget -= others;
  return internal::plan_memory(backend_->footprint(), request);
}

void Selector::State::follow(const MemoryPlan& plan) {
  learner_->models.limit_points(plan.model_points);
  backend_->limit_work({plan.threads, plan.fit_bytes});
}

void Selector::State::set_pool(const SelectorPool& given) {
  const std::string name = "pool.rows";
  arrays_.check_matrix(given.rows, options_.columns, name);
  if (given.rows.rows > most_pool_rows)
    throw InvalidArray(Reason::shape, text(name, ": it has ", given.rows.rows, " rows; give fewer than 2^32"));
  // The last pool stays until this one is made.
  plan(given.rows.rows, 0, pool_ ? plan(pool_size(), 0).candidate_bytes : 0);
  const bool costs_known = given.costs.size > 0;
  if (costs_known && given.costs.size != given.rows.rows)
    throw InvalidArray(Reason::shape, text("pool.costs: there are ", given.costs.size, ", and the pool has ",
                                           given.rows.rows, " rows; give one a row, or none"));
  Pool fresh;
  const bool borrowed = given.rows.memory == Memory::device;
  const bool numbers = numbers_needed(costs_known);
  if (borrowed) {
    fresh.set = backend_->device_access()->borrow_candidates(arrays_.device_matrix(given.rows, name));
    fresh.borrowed = internal::bytes_of(given.rows);
  }
  // Host rows are copied; rows in device memory only where a cost model looks at them.
  const internal::NamedMatrix wanted[] = {{numbers || !borrowed ? given.rows : MatrixRef{}, name},
                                          {internal::as_matrix(given.costs), "pool.costs"}};
  std::vector<std::vector<double>> values = arrays_.read(wanted);
  if (!borrowed) {
    check_in_cube(values[0], options_.columns, name);
    fresh.set = backend_->make_candidates({values[0].data(), given.rows.rows, options_.columns});
  }
  for (std::size_t row = 0; row < values[1].size(); ++row)
    if (!(values[1][row] > 0 && std::isfinite(values[1][row])))
      throw InvalidArray(std::isfinite(values[1][row]) ? Reason::out_of_range : Reason::not_finite,
                         text("pool.costs: row ", row, " costs ", values[1][row], "; give a finite number above 0"));
  fresh.table.rows = given.rows.rows;
  fresh.table.columns = options_.columns;
  if (numbers) {
    fresh.table.parameters = options_.columns;
    fresh.table.numbers = std::move(values[0]);
  }
  fresh.table.first_pool_row = 0;
  fresh.table.version = ++versions_;
  fresh.costs = std::move(values[1]);
  std::unique_ptr<Learner> learner;
  if (costs_known || (pool_ && !pool_->costs.empty())) learner = make_learner(fresh.costs);
  // Known costs go to the device now, so that no later call waits for them.
  if (costs_known) learner->models.cost().field(fresh.table, *fresh.set);
  // What was enqueued may still read the last pool, which its owner may change or free from here on.
  if (internal::DeviceAccess* const device = backend_->device_access()) device->wait();
  running_.clear();
  pool_ = std::move(fresh);
  if (learner) learner_ = std::move(learner);
}

Selector::State::Pool& Selector::State::pool() {
  if (!pool_) throw InvalidOptions("there is no pool; call set_pool first");
  return *pool_;
}

std::vector<double> Selector::State::checked_objectives(std::vector<double> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto refuse = [&](const char* what) {
      throw InvalidObservation(text("observations.objectives: value ", i, " is ", values[i], "; ", what));
    };
    if (!std::isfinite(values[i])) refuse("give a finite number, for failures the worst that was seen");
    if (options_.transform == Transform::log && !(values[i] > 0))
      refuse("transform = log needs values above 0 (use automatic, none or rank)");
  }
  return values;
}

std::vector<double> Selector::State::checked_costs(std::vector<double> values,
                                                   std::span<const std::size_t> rows) const {
  if (values.empty())
    for (const std::size_t row : rows) values.push_back(pool_->costs[row]);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0 && std::isfinite(values[i])))
      throw InvalidObservation(
          text("observations.costs: value ", i, " is ", values[i], "; give a finite number above 0"));
  return values;
}

std::vector<std::size_t> Selector::State::checked_rows(const IndexRef& rows) {
  std::vector<std::size_t> checked;
  for (const std::int64_t row : arrays_.read(rows, "rows")) {
    if (row < 0 || static_cast<std::uint64_t>(row) >= pool().set->size())
      throw InvalidArray(Reason::out_of_range, text("rows: entry ", checked.size(), " is ", row,
                                                    ", and the pool has ", pool_size(), " rows, counted from 0"));
    checked.push_back(static_cast<std::size_t>(row));
  }
  return checked;
}

void Selector::State::append(const Observations& given) {
  const std::size_t count = given.objectives.size;
  const bool by_rows = given.rows.size > 0;
  if (by_rows && given.points.rows > 0)
    throw InvalidArray(Reason::shape, "observations: points and rows are given; give one of them");
  const std::size_t points = by_rows ? given.rows.size : given.points.rows;
  if (count == 0 || points != count)
    throw InvalidArray(Reason::shape, text("observations: there are ", points, " points or rows and ", count,
                                           " objectives; give as many, at least one"));
  const bool costs_optional = by_rows && pool_ && !pool_->costs.empty();
  if (given.costs.size != count && !(costs_optional && given.costs.size == 0))
    throw InvalidArray(Reason::shape, text("observations: there are ", given.costs.size, " costs and ", count,
                                           " objectives; give as many"));
  if (!by_rows) arrays_.check_matrix(given.points, options_.columns, "observations.points");
  const internal::NamedMatrix wanted[] = {{internal::as_matrix(given.objectives), "observations.objectives"},
                                          {internal::as_matrix(given.costs), "observations.costs"},
                                          {by_rows ? MatrixRef{} : given.points, "observations.points"}};
  std::vector<std::vector<double>> values = arrays_.read(wanted);
  const std::vector<std::size_t> rows = checked_rows(given.rows);
  const std::vector<double> objectives = checked_objectives(std::move(values[0]));
  const std::vector<double> costs = checked_costs(std::move(values[1]), rows);
  if (by_rows) values[2] = points_of(rows);
  check_in_cube(values[2], options_.columns, "observations.points");

  std::vector<internal::LearnedPoint> fresh;
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const double> point = std::span(values[2]).subspan(i * options_.columns, options_.columns);
    internal::LearnedPoint& learned = fresh.emplace_back();
    learned.numbers.assign(point.begin(), point.end());
    learned.encoded = learned.numbers;
    learned.objective = objectives[i];
    learned.cost = costs[i];
  }
  learned_.reserve(learned_.size() + fresh.size());
  std::unordered_set<std::uint64_t> fresh_points;
  for (const internal::LearnedPoint& one : fresh) fresh_points.insert(internal::row_hash(one.encoded));
  points_.reserve(points_.size() + fresh_points.size());
  if (by_rows && options_.allow_repeats) pool_->set->readmit(rows);
  if (by_rows && !options_.allow_repeats) pool_->set->exclude(rows);
  std::move(fresh.begin(), fresh.end(), std::back_inserter(learned_));
  points_.merge(fresh_points);
  for (const std::size_t row : rows)
    if (const auto found = find_running(row); found != running_.end()) running_.erase(found);
}

std::vector<double> Selector::State::points_of(std::span<const std::size_t> rows) {
  std::vector<double> points(rows.size() * options_.columns);
  std::vector<std::size_t> unknown;
  for (const std::size_t row : rows)
    if (find_running(row) == running_.end()) unknown.push_back(row);
  std::vector<double> read(unknown.size() * options_.columns);
  if (!unknown.empty()) pool_->set->read(unknown, read);
  auto next = read.begin();
  auto to = points.begin();
  for (const std::size_t row : rows) {
    const auto found = find_running(row);
    const auto from = found != running_.end()
                          ? found->point.begin()
                          : std::exchange(next, next + static_cast<std::ptrdiff_t>(options_.columns));
    to = std::copy_n(from, options_.columns, to);
  }
  return points;
}

std::vector<Selector::State::Running>::iterator Selector::State::find_running(std::size_t row) {
  return std::find_if(running_.begin(), running_.end(), [&](const Running& one) { return one.row == row; });
}

void Selector::State::withdraw(const IndexRef& given) {
  const std::vector<std::size_t> rows = checked_rows(given);
  for (const std::size_t row : rows)
    if (find_running(row) == running_.end())
      throw UnknownSuggestion(text("withdraw: row ", row, " is not running; it was not suggested, or was appended"));
  if (rows.empty()) return;
  pool().set->readmit(rows);
  for (const std::size_t row : rows)
    if (const auto found = find_running(row); found != running_.end()) running_.erase(found);
}

SelectorFit Selector::State::fit() {
  SelectorFit report;
  report.objective.lengthscales.reserve(options_.columns);  // nothing may fail once the models are fitted
  {
    const internal::StageTimer timer(report.seconds);
    require_objective("fit");
    follow(plan(pool_size(), 0));
    learn(true);
  }
  report.observations = learned_.size();
  report.objective_points = learner_->models.objective().points();
  report.cost_points = learner_->models.cost().points();
  report.objective = learner_->models.objective().hyperparameters();
  report.transform = learner_->models.transform().value_or(Transform::none);
  report.cost_model = learner_->models.cost().kind();
  report.objective_jitter = learner_->models.objective().jitter();
  report.cost_jitter = learner_->models.cost().jitter();
  return report;
}

void Selector::State::learn(bool fit_due) {
  const internal::ModelUpdate update{&learner_->models, learned_, fit_due};
  internal::fit_models(*backend_, {&update, 1});
}

void Selector::State::take_up(std::size_t picks) {
  follow(plan(pool_size(), picks));
  learn(false);
}

}  // namespace carbo
