#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "acquisition/cooling.hpp"
#include "acquisition/streamed_search.hpp"
#include "engine/optimizer_state.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"
#include "support/thread_pool.hpp"

namespace carbo {

using internal::Field;
using internal::StageTimer;

namespace {

Receipt search_receipt(const internal::CostTerm& cost, std::uint64_t candidates, std::size_t finished,
                       std::size_t refreshed) {
  Receipt receipt;
  receipt.phase = Phase::search;
  receipt.alpha = cost.alpha;
  receipt.finished_share = static_cast<double>(finished) / static_cast<double>(candidates);
  receipt.refreshed_share = static_cast<double>(refreshed) / static_cast<double>(candidates);
  return receipt;
}

}  // namespace

bool Optimizer::State::can_search() const {
  return options_.acquisition != Acquisition::random && models_.objective_ready() && models_.cost().ready();
}

void Optimizer::State::serve_search(Batch& batch) {
  if (options_.acquisition == Acquisition::random) return serve_uniform(batch, batch.left(), Phase::search);
  if (!can_search()) return serve_uniform(batch, batch.left(), Phase::warm_start);
  if (store_.streamed()) return serve_streamed_search(batch);
  prepare_search(batch, rounds_++);
  if (store_.set().available() == 0) return;
  const auto log_cost = log_cost_field(batch);
  internal::FantasyEnsemble ensemble(*backend_, models_.objective(), options_, models_.incumbent());
  begin_search(batch, ensemble, *log_cost);
  const StageTimer timer(batch.seconds.pick);
  internal::SearchWork before;
  while (store_.set().available() > 0) {
    const internal::CostTerm cost = cost_term(batch);
    const std::uint64_t id = next_id_ + batch.suggestions.size();
    const std::vector<internal::Scored> best = ensemble.top(cost, 2, {id, batch.left() - 1});
    if (best.empty()) return refuse(batch);
    const internal::SearchWork work = ensemble.work();
    Receipt receipt =
        search_receipt(cost, store_.set().size(), work.finished - before.finished, work.refreshed - before.refreshed);
    before = work;
    receipt.log_score = best.front().score;
    if (best.size() > 1) receipt.runner_up_log_score = best[1].score;
    receipt.candidates = store_.set().available();
    store_.take(best.front().index);
    add_row(batch, best.front().index, std::move(receipt));
    if (batch.left() == 0) return;
    ensemble.fantasise(batch.encoded.back(), id);
  }
}

void Optimizer::State::prepare_search(Batch& batch, std::uint64_t round) {
  const StageTimer timer(batch.seconds.candidates);
  store_.prepare_search(known_points(batch), best_points(), round);
}

void Optimizer::State::begin_search(Batch& batch, internal::FantasyEnsemble& ensemble, const Field& log_cost) {
  const StageTimer timer(batch.seconds.sweep);
  ensemble.begin(store_.set(), log_cost, models_.cost().posterior());
  fantasise_running(ensemble, batch);
}

void Optimizer::State::serve_streamed_search(Batch& batch) {
  const internal::CandidateStream stream = store_.stream(best_points(), rounds_++);
  internal::KnownPoints taken = untouchable(batch);
  internal::FantasyEnsemble ensemble(*backend_, models_.objective(), options_, models_.incumbent());
  fantasise_running(ensemble, batch);
  internal::StreamedSearch search(*backend_, models_.cost(), stream, store_.plan().tile, options_.backend.threads,
                                  store_.versions());
  const StageTimer timer(batch.seconds.pick);
  for (;;) {
    const internal::CostTerm cost = cost_term(batch);
    const std::uint64_t id = next_id_ + batch.suggestions.size();
    const internal::StreamedTop best =
        search.top(ensemble, cost, 2, [&](std::span<const double> numbers) { return !taken.contains(numbers); });
    if (best.available == 0) return;
    if (best.picks.empty()) return refuse(batch);
    const internal::StreamedPick& pick = best.picks.front();
    Receipt receipt = search_receipt(cost, stream.size(), best.work.finished, best.work.refreshed);
    receipt.log_score = pick.score;
    if (best.picks.size() > 1) receipt.runner_up_log_score = best.picks[1].score;
    receipt.candidates = best.available;
    if (!options_.candidates.allow_repeats) taken.add(pick.numbers);
    add(batch, space_.configuration(pick.numbers), std::move(receipt), pool_row(pick.row));
    if (batch.left() == 0) return;
    ensemble.fantasise(batch.encoded.back(), id);
  }
}

internal::KnownPoints Optimizer::State::untouchable(const Batch& batch) const {
  internal::KnownPoints points;
  if (options_.candidates.allow_repeats) return points;
  for (const internal::KnownPoint& point : known_points(batch)) points.add(point.numbers);
  return points;
}

std::optional<std::size_t> Optimizer::State::pool_row(std::uint64_t row) const {
  return options_.candidates.pool ? std::optional<std::size_t>(row) : std::nullopt;
}

std::vector<RankedCandidate> Optimizer::State::rank(std::size_t count) {
  // The set of the design in progress must not be mistaken for the one that this makes.
  struct Guard {
    internal::CandidateStore& store;
    ~Guard() { store.invalidate(); }
  } const guard{store_};
  Batch batch = open_batch(count);
  if (count == 0 || !can_search()) return {};
  internal::FantasyEnsemble ensemble(*backend_, models_.objective(), options_, models_.incumbent());
  const internal::CostTerm cost = cost_term(batch);
  std::vector<RankedCandidate> ranked;
  if (store_.streamed()) {
    const internal::CandidateStream stream = store_.stream(best_points(), rounds_);
    const internal::KnownPoints taken = untouchable(batch);
    fantasise_running(ensemble, batch);
    internal::StreamedSearch search(*backend_, models_.cost(), stream, store_.plan().tile, options_.backend.threads,
                                    store_.versions());
    const auto filter = [&](std::span<const double> numbers) { return !taken.contains(numbers); };
    for (const internal::StreamedPick& pick : search.top(ensemble, cost, count, filter).picks) {
      ranked.push_back({space_.configuration(pick.numbers), pool_row(pick.row), pick.score});
    }
    return ranked;
  }
  prepare_search(batch, rounds_);
  if (store_.set().available() == 0) return {};
  const auto log_cost = log_cost_field(batch);
  begin_search(batch, ensemble, *log_cost);
  for (const internal::Scored& one : ensemble.top(cost, count, {})) {
    ranked.push_back({store_.configuration(one.index), store_.pool_index(one.index), one.score});
  }
  return ranked;
}

MemoryRequest Optimizer::State::memory_request(std::size_t batch) const {
  MemoryRequest request;
  request.candidates = store_.candidates();
  request.parameters = space_.parameters().size();
  request.columns = space_.encoded_columns();
  request.observations = history_.points_observed();
  request.copies = history_.observations().size() - request.observations;
  request.max_points = std::max(options_.surrogate.max_points, options_.cost.surrogate.max_points);
  request.fantasies = options_.fantasies.count;
  request.factors = options_.fantasies.mode == FantasyMode::batched ? options_.fantasies.count : 1;
  request.cost_factors = internal::cost_factors(options_.cost);
  request.features = internal::cost_features(space_, options_.cost);
  request.batch = std::max(batch, options_.batch_size) + history_.pending().size();
  request.threads = internal::thread_count(options_.backend.threads);
  request.restarts = std::max(options_.surrogate.restarts, options_.cost.surrogate.restarts);
  request.on_device = backend_choice_.on_device;
  request.budget = options_.backend.memory_bytes;
  return request;
}

MemoryPlan Optimizer::State::memory_plan() const { return plan_memory(memory_request(options_.batch_size)); }

/// A run that has begun goes on with the smallest models and tile where the budget is too small for these.
MemoryPlan Optimizer::State::working_plan(std::size_t batch) const {
  MemoryRequest request = memory_request(batch);
  request.budget = std::max(request.budget, least_memory(request));
  return plan_memory(request);
}

void Optimizer::State::follow(const MemoryPlan& plan) {
  store_.follow(plan);
  models_.limit_points(plan.model_points);
  backend_->limit_work({plan.threads, plan.fit_bytes});
}

void Optimizer::State::refuse(Batch& batch) const {
  if (!options_.strict) {
    throw NumericalError(internal::text("none of the ", store_.candidates(),
                                        " candidates has a score; check for costs or objectives near the limits of "
                                        "double precision"));
  }
  batch.strict_refused = true;
}

internal::CostTerm Optimizer::State::cost_term(const Batch& batch) {
  internal::CostTerm cost;
  cost.alpha =
      internal::cost_exponent(options_.acquisition, options_.budget, batch.used, plan_.spent_at_end(batch.used));
  cost.log_cost_limit = log_cost_limit(batch);
  return cost;
}

void Optimizer::State::fantasise_running(internal::FantasyEnsemble& ensemble, const Batch& batch) {
  for (const auto& [id, point] : history_.pending()) ensemble.fantasise(point.encoded, id);
  for (std::size_t i = 0; i < batch.suggestions.size(); ++i) {
    ensemble.fantasise(batch.encoded[i], batch.suggestions[i].id);
  }
}

}  // namespace carbo
