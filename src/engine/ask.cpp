#include <algorithm>
#include <limits>
#include <utility>

#include <carbo/error.hpp>

#include "design/design_gain.hpp"
#include "design/race_design.hpp"
#include "engine/optimizer_state.hpp"
#include "models/fit_models.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Field;
using internal::StageTimer;

namespace {

/// A round whose size what is known decides has at least so many suggestions.
constexpr std::size_t least_together = 3;

Receipt receipt_of(Phase phase) {
  Receipt receipt;
  receipt.phase = phase;
  return receipt;
}

}  // namespace

std::vector<Suggestion> Optimizer::State::ask(std::size_t count) {
  ledger_.open();
  if (stop_reason() != StopReason::running) return {};
  const std::size_t running = history_.pending().size();
  std::size_t most = std::numeric_limits<std::size_t>::max();
  if (options_.max_evaluations) {
    const std::size_t started = history_.evaluated_in_run() + running;
    most = *options_.max_evaluations - std::min(started, *options_.max_evaluations);
  }
  if (store_.fixed() && !options_.candidates.allow_repeats) most = std::min<std::uint64_t>(most, store_.candidates());
  count = std::min(count, most);
  if (count == 0) return {};
  if (count > most_running - std::min(running, most_running)) {
    throw InvalidOptions(internal::text("ask(", count, ") with ", running, " suggestions running; at most ",
                                        most_running, " may run at once: ask for fewer"));
  }
  count = std::min(count, most_together());
  const std::size_t wanted = internal::most_in_round(options_.batches, count);
  const internal::Round::Size size{count, std::min({wanted, most, most_running - running})};
  const std::uint64_t rounds = rounds_;
  const std::uint64_t draws = draws_;
  try {
    Batch batch = assemble(size);
    commit(batch);
    return std::move(batch.suggestions);
  } catch (...) {
    store_.invalidate();
    rounds_ = rounds;
    draws_ = draws;
    throw;
  }
}

/// Where costs are summed an idle worker costs nothing, and what is picked beside many others costs as much as what
/// is picked knowing their results. With as many as are known, rounds still reach any size within a few of them.
std::size_t Optimizer::State::most_together() const {
  const bool learns = internal::scores(options_.acquisition) && options_.accounting == Accounting::sum;
  if (!learns || options_.execution == Execution::asynchronous) return std::numeric_limits<std::size_t>::max();
  const std::size_t told = points_known() - history_.pending().size();
  const std::size_t owed = std::max(plan_.warm_start_left(points_known()), plan_.points_left());
  return std::max({least_together, told, owed, queue_.size()});
}

Optimizer::State::Batch Optimizer::State::open_batch(const internal::Round::Size& size) {
  Batch batch;
  history_.learn_new();
  follow(working_plan(size.most));
  if (needs_models()) {
    const StageTimer timer(batch.seconds.fit);
    update_models();
  }
  batch.round = internal::Round(options_.batches, size, models_.cost().ready());
  batch.spent = ledger_.spent();
  batch.pending_costs = predicted_pending_costs();
  batch.committed = ledger_.committed(batch.pending_costs);
  batch.used = plan_.used(design_state(batch));
  return batch;
}

void Optimizer::State::update_models() {
  const internal::ModelUpdate update{&models_, history_.learned()};
  internal::fit_models(*backend_, {&update, 1});
}

Optimizer::State::Batch Optimizer::State::assemble(const internal::Round::Size& size) {
  Batch batch = open_batch(size);
  if (plan_.over(design_state(batch))) batch.end_design(plan_.usual_end());
  serve_queue(batch);
  if (!batch.design_over && batch.round.left() > 0) serve_initial_design(batch);
  if (batch.design_over && batch.round.left() > 0) serve_search(batch);
  predict(batch);
  return batch;
}

/// What can fail comes first, and the ledger's part of it last: it takes back what it did where it fails.
void Optimizer::State::commit(Batch& batch) {
  internal::History::Suggestions pending;
  std::vector<std::uint64_t> ids;
  std::vector<std::size_t> slots;
  for (std::size_t i = 0; i < batch.suggestions.size(); ++i) {
    Suggestion& suggestion = batch.suggestions[i];
    suggestion.receipt.seconds = batch.seconds;
    ids.push_back(suggestion.id);
    slots.push_back(suggestion.slot);
    pending.emplace(suggestion.id, internal::PendingPoint{suggestion.configuration, std::move(batch.encoded[i]),
                                                          suggestion.pool_index, suggestion.receipt,
                                                          suggestion.timeout, suggestion.order});
  }
  history_.make_room(ids.size());
  if (!ids.empty()) ledger_.start(ids, slots);
  settle(batch, std::move(pending));
}

void Optimizer::State::settle(Batch& batch, internal::History::Suggestions&& pending) noexcept {
  plan_.serve_points(batch.points_served);
  if (batch.design_gain) plan_.note_gain(*batch.design_gain);
  if (batch.design_over) plan_.end(batch.design_end);
  if (pending.empty()) blocked_ = batch.blocked_by();
  for (std::size_t i = batch.from_queue.size(); i-- > 0;)
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(batch.from_queue[i]));
  for (Suggestion& suggestion : batch.suggestions) suggestion.slot = ledger_.place(suggestion.id).slot;
  if (batch.search) {
    plan_.settle_spent(batch.used);
    last_search_ = batch.search;
  }
  next_id_ += pending.size();
  history_.suggest(std::move(pending));
}

void Optimizer::State::serve_initial_design(Batch& batch) {
  serve_points(batch);
  const std::size_t owed = plan_.warm_start_left(points_known() + batch.suggestions.size());
  serve_uniform(batch, std::min(batch.round.idle(), owed), Phase::warm_start);
  if (batch.round.left() == 0) return;
  if (plan_.races()) {
    if (models_.cost().ready()) {
      serve_design(batch);
    } else {
      serve_uniform(batch, batch.round.idle(), Phase::warm_start);
    }
  }
  if (!batch.design_over && plan_.over(design_state(batch))) batch.end_design(plan_.usual_end());
}

void Optimizer::State::serve_points(Batch& batch) {
  while (batch.round.idle() > 0 && batch.points_served < plan_.points_left()) {
    const Configuration point = own(plan_.point(batch.points_served++));
    if (!options_.candidates.allow_repeats && is_known(batch, point.numbers())) continue;
    const std::optional<std::size_t> pool_row = store_.find_in_pool(point.numbers());
    if (affordable(batch, point, pool_row)) {
      add(batch, point, receipt_of(Phase::design), pool_row);
    } else {
      batch.strict_refused = true;
    }
  }
}

void Optimizer::State::serve_uniform(Batch& batch, std::size_t count, Phase phase) {
  if (count == 0) return;
  if (store_.fixed()) return serve_uniform_rows(batch, count, phase);
  const StageTimer timer(batch.seconds.pick);
  internal::KnownPoints known;
  if (!options_.candidates.allow_repeats) {
    for (const internal::KnownPoint& point : known_points(batch)) known.add(point.numbers);
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto configuration = uniform_configuration(batch, known);
    batch.strict_refused = !configuration && options_.strict && models_.cost().ready();
    if (!configuration) return;
    known.add(configuration->numbers());
    add(batch, std::move(*configuration), receipt_of(phase), std::nullopt);
  }
}

void Optimizer::State::serve_uniform_rows(Batch& batch, std::size_t count, Phase phase) {
  const auto known = known_points(batch);
  if (phase == Phase::search) {
    store_.prepare_search(known, {}, rounds_++);
  } else {
    store_.prepare_design(known);
  }
  const bool limited = options_.strict && models_.cost().ready();
  const std::shared_ptr<const Field> log_cost = limited ? log_cost_field(batch, internal::FieldUse::values) : nullptr;
  const StageTimer timer(batch.seconds.pick);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = uniform_row(batch, log_cost.get());
    batch.strict_refused = !row && store_.set().available() > 0;
    if (!row) return;
    store_.take(*row);
    add_row(batch, *row, receipt_of(phase));
  }
}

void Optimizer::State::serve_design(Batch& batch) {
  {
    const StageTimer timer(batch.seconds.candidates);
    store_.prepare_design(known_points(batch));
  }
  const std::shared_ptr<const Field> log_cost = log_cost_field(batch, internal::FieldUse::values);
  const StageTimer timer(batch.seconds.pick);
  internal::RaceProblem problem{store_.set(), *log_cost, batch.round.left()};
  problem.log_cost_limit = [&] { return log_cost_limit(batch, Phase::design); };
  // What has to fit into a round says nothing of what is left to be taught.
  if (plan_.stops_early() && models_.objective_ready() && batch.round.open(Phase::design))
    problem.worth = [&](std::size_t row) { return worth_racing(batch, row); };
  problem.take = [&](std::size_t row) {
    Receipt receipt = receipt_of(Phase::design);
    receipt.candidates = store_.set().available();
    store_.take(row);
    receipt.fill = store_.set().fill();
    add_row(batch, row, std::move(receipt));
  };
  const std::size_t found = internal::pick_design(*backend_, problem);
  if (batch.design_over) return;
  if (store_.set().available() == 0) batch.end_design(DesignEnd::exhausted);
  batch.strict_refused = found < problem.count && !batch.design_over;
}

bool Optimizer::State::worth_racing(Batch& batch, std::size_t row) {
  std::vector<std::span<const double>> running;
  for (const auto& [id, point] : history_.pending()) running.emplace_back(point.encoded);
  for (const std::vector<double>& one : batch.encoded) running.emplace_back(one);
  const std::vector<double> point = space_.encode(store_.configuration(row));
  batch.design_gain = internal::design_gain(models_.objective().factor(), running, point);
  if (plan_.worth(*batch.design_gain)) return true;
  batch.end_design(DesignEnd::gain);
  return false;
}

std::shared_ptr<const Field> Optimizer::State::log_cost_field(Batch& batch, internal::FieldUse use) {
  const StageTimer timer(batch.seconds.sweep);
  return models_.cost().field(store_.table(), store_.set(), use);
}

}  // namespace carbo
