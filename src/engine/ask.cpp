#include <algorithm>
#include <utility>

#include "acquisition/cooling.hpp"
#include "acquisition/fantasy_ensemble.hpp"
#include "engine/optimizer_state.hpp"
#include "support/stopwatch.hpp"

namespace carbo {

using internal::Field;
using internal::Pick;
using internal::StageTimer;

namespace {

Receipt receipt_of(Phase phase) {
  Receipt receipt;
  receipt.phase = phase;
  return receipt;
}

}  // namespace

std::vector<Suggestion> Optimizer::State::ask(std::size_t count) {
  if (stop_reason() != StopReason::running) return {};
  if (options_.max_evaluations) {
    const std::size_t started = history_.evaluated_in_run() + history_.pending().size();
    count = std::min(count, *options_.max_evaluations - std::min(started, *options_.max_evaluations));
  }
  if (count == 0) return {};
  try {
    Batch batch = assemble(count);
    commit(batch);
    return std::move(batch.suggestions);
  } catch (...) {
    store_.invalidate();
    throw;
  }
}

Optimizer::State::Batch Optimizer::State::assemble(std::size_t count) {
  Batch batch;
  batch.wanted = count;
  history_.learn_new();
  {
    const StageTimer timer(batch.seconds.fit);
    models_.update(history_.learned());
  }
  batch.spent = ledger_.spent();
  batch.committed = ledger_.committed(predicted_pending_costs());
  plan_.update({points_known(), batch.spent, batch.committed});
  if (!plan_.over()) serve_initial_design(batch);
  if (plan_.over() && batch.left() > 0) serve_search(batch);
  return batch;
}

void Optimizer::State::commit(Batch& batch) {
  if (batch.suggestions.empty()) {
    blocked_ = batch.strict_refused ? StopReason::strict_budget : StopReason::exhausted;
    return;
  }
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < batch.suggestions.size(); ++i) {
    Suggestion& suggestion = batch.suggestions[i];
    suggestion.receipt.seconds = batch.seconds;
    ids.push_back(suggestion.id);
    history_.suggest(suggestion.id,
                     {suggestion.configuration, std::move(batch.encoded[i]), suggestion.receipt.phase});
  }
  next_id_ += ids.size();
  ledger_.start(ids);
}

void Optimizer::State::serve_initial_design(Batch& batch) {
  serve_points(batch);
  const std::size_t owed = plan_.warm_start_left(points_known() + batch.suggestions.size());
  serve_uniform(batch, std::min(batch.left(), owed), Phase::warm_start);
  if (batch.left() == 0) return;
  if (options_.initial_design == InitialDesign::cost_effective) {
    if (models_.cost().ready()) {
      serve_design(batch);
      if (store_.set().available() == 0) plan_.end();
    } else {
      serve_uniform(batch, batch.left(), Phase::warm_start);
    }
  }
  plan_.update({points_known() + batch.suggestions.size(), batch.spent, batch.committed});
}

void Optimizer::State::serve_points(Batch& batch) {
  while (batch.left() > 0 && plan_.points_left() > 0) {
    const Configuration point = own(plan_.next_point());
    plan_.serve_point();
    if (affordable(batch, point)) {
      add(batch, point, receipt_of(Phase::design), std::nullopt);
    } else {
      batch.strict_refused = true;
    }
  }
}

void Optimizer::State::serve_uniform(Batch& batch, std::size_t count, Phase phase) {
  if (count == 0) return;
  const StageTimer timer(batch.seconds.pick);
  if (store_.fixed()) {
    const auto known = known_points(batch);
    if (phase == Phase::search) {
      store_.prepare_search(known, {}, rounds_++);
    } else {
      store_.prepare_design(known);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (store_.fixed()) {
      const auto row = uniform_row(batch);
      batch.strict_refused = !row && store_.set().available() > 0;
      if (!row) return;
      store_.take(*row);
      add_row(batch, *row, receipt_of(phase));
    } else {
      auto configuration = uniform_configuration(batch);
      batch.strict_refused = !configuration && options_.strict && models_.cost().ready();
      if (!configuration) return;
      add(batch, std::move(*configuration), receipt_of(phase), std::nullopt);
    }
  }
}

void Optimizer::State::serve_design(Batch& batch) {
  {
    const StageTimer timer(batch.seconds.candidates);
    store_.prepare_design(known_points(batch));
  }
  std::unique_ptr<Field> log_cost;
  {
    const StageTimer timer(batch.seconds.sweep);
    log_cost = models_.cost().field(store_.table(), store_.set(), false);
  }
  const StageTimer timer(batch.seconds.pick);
  while (batch.left() > 0) {
    const std::size_t row = backend_->race(store_.set(), *log_cost, log_cost_limit(batch));
    if (row == Pick::none) {
      batch.strict_refused = store_.set().available() > 0;
      return;
    }
    Receipt receipt = receipt_of(Phase::design);
    receipt.candidates = store_.set().available();
    store_.take_for_design(row);
    receipt.fill = store_.set().fill();
    add_row(batch, row, std::move(receipt));
  }
}

void Optimizer::State::serve_search(Batch& batch) {
  if (options_.acquisition == Acquisition::random) return serve_uniform(batch, batch.left(), Phase::search);
  if (!models_.objective_ready() || !models_.cost().ready()) {
    return serve_uniform(batch, batch.left(), Phase::warm_start);
  }
  {
    const StageTimer timer(batch.seconds.candidates);
    store_.prepare_search(known_points(batch), best_points(), rounds_++);
  }
  if (store_.set().available() == 0) return;
  const double spent = batch.spent + batch.committed;
  internal::CostTerm cost;
  cost.alpha = internal::cost_exponent(options_.acquisition, options_.budget, spent, plan_.spent_at_end(spent));
  cost.weight = options_.cost.weight;
  const double sweep_start = internal::steady_seconds();
  const auto log_cost = models_.cost().field(store_.table(), store_.set(), cost.weight != CostWeight::median);
  cost.log_cost = log_cost.get();
  internal::FantasyEnsemble ensemble(*backend_, store_.set(), models_.objective(), options_, models_.incumbent());
  for (const auto& [id, point] : history_.pending()) ensemble.fantasise(point.encoded, id);
  for (std::size_t i = 0; i < batch.suggestions.size(); ++i) {
    ensemble.fantasise(batch.encoded[i], batch.suggestions[i].id);
  }
  batch.seconds.sweep += internal::steady_seconds() - sweep_start;
  const StageTimer timer(batch.seconds.pick);
  while (true) {
    cost.log_cost_limit = log_cost_limit(batch);
    const Pick pick = ensemble.best(cost);
    if (pick.index == Pick::none) {
      batch.strict_refused = store_.set().available() > 0;
      return;
    }
    Receipt receipt = receipt_of(Phase::search);
    receipt.alpha = cost.alpha;
    receipt.log_score = pick.score;
    if (pick.runner_up != Pick::none) receipt.runner_up_log_score = pick.runner_up_score;
    receipt.candidates = store_.set().available();
    store_.take(pick.index);
    add_row(batch, pick.index, std::move(receipt));
    if (batch.left() == 0) return;
    ensemble.fantasise(batch.encoded.back(), batch.suggestions.back().id);
  }
}

}  // namespace carbo
