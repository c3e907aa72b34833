#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "acquisition/choose.hpp"
#include "acquisition/pick_batch.hpp"
#include "acquisition/streamed_search.hpp"
#include "engine/optimizer_state.hpp"
#include "memory/memory_plan.hpp"
#include "memory/memory_request.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Field;
using internal::StageTimer;

namespace {

Receipt search_receipt(const internal::PickedRow& picked, std::uint64_t candidates) {
  Receipt receipt;
  receipt.phase = Phase::search;
  receipt.log_score = picked.best.score;
  receipt.runner_up_log_score = picked.runner_up_score;
  receipt.candidates = picked.available;
  receipt.finished_share = static_cast<double>(picked.finished) / static_cast<double>(candidates);
  receipt.refreshed_share = static_cast<double>(picked.refreshed) / static_cast<double>(candidates);
  receipt.low_precision_share = picked.screened_share;
  return receipt;
}

std::vector<double> numbers_of(const internal::CandidateStream& stream, std::uint64_t row) {
  std::vector<double> numbers(stream.parameters());
  std::uint8_t allowed = 0;
  stream.fill(row, numbers, {}, {&allowed, 1});
  return numbers;
}

}  // namespace

bool Optimizer::State::can_search() const {
  return internal::scores(options_.acquisition) && models_.objective_ready() && models_.cost().ready();
}

void Optimizer::State::serve_search(Batch& batch) {
  if (!internal::scores(options_.acquisition)) return serve_uniform(batch, batch.round.idle(), Phase::search);
  if (!can_search()) return serve_uniform(batch, batch.round.idle(), Phase::warm_start);
  if (store_.streamed()) return serve_streamed_search(batch);
  prepare_search(batch, rounds_++);
  if (store_.set().available() == 0) return;
  const auto log_cost = log_cost_field(batch, internal::FieldUse::search);
  internal::FantasyEnsemble ensemble = make_ensemble(batch, internal::extreme_sample(store_.set(), columns()));
  begin_search(batch, ensemble, *log_cost);
  pick(batch, ensemble, store_.set().size(), [&](const internal::PickedRow& picked, Receipt receipt) {
    store_.take(picked.best.index);
    add_row(batch, picked.best.index, std::move(receipt));
  });
}

internal::FantasyEnsemble Optimizer::State::make_ensemble(Batch& batch, const internal::ExtremeSample& sample) {
  const StageTimer timer(batch.seconds.sweep);
  return internal::make_ensemble(*backend_, models_, internal::ensemble_options(options_), options_.acquisition,
                                 sample);
}

void Optimizer::State::prepare_search(Batch& batch, std::uint64_t round) {
  const StageTimer timer(batch.seconds.candidates);
  store_.prepare_search(known_points(batch), best_points(), round);
}

void Optimizer::State::begin_search(Batch& batch, internal::FantasyEnsemble& ensemble, const Field& log_cost) {
  const StageTimer timer(batch.seconds.sweep);
  ensemble.begin(backend_->make_search(store_.set(), ensemble.setup(&log_cost, models_.cost().posterior())));
  fantasise_running(ensemble, batch);
}

void Optimizer::State::begin_streamed_search(Batch& batch, internal::FantasyEnsemble& ensemble,
                                             const internal::CandidateStream& stream,
                                             const internal::KnownPoints& taken) {
  const auto setup = [&ensemble](const Field* log_cost, const std::optional<internal::CostPosterior>& posterior) {
    return ensemble.setup(log_cost, posterior);
  };
  const auto filter = [&taken](std::span<const double> numbers) { return !taken.contains(numbers); };
  const internal::Tiling tiling{store_.plan().tile, options_.backend.threads, store_.versions()};
  ensemble.begin(
      std::make_unique<internal::StreamedSearch>(*backend_, models_.cost(), stream, tiling, setup, filter));
  fantasise_running(ensemble, batch);
}

void Optimizer::State::serve_streamed_search(Batch& batch) {
  const internal::CandidateStream stream = store_.stream(best_points(), rounds_++);
  internal::KnownPoints taken = untouchable(batch);
  internal::FantasyEnsemble ensemble = make_ensemble(batch, internal::extreme_sample(stream));
  begin_streamed_search(batch, ensemble, stream, taken);
  pick(batch, ensemble, stream.size(), [&](const internal::PickedRow& picked, Receipt receipt) {
    const std::vector<double> numbers = numbers_of(stream, picked.best.index);
    if (!options_.candidates.allow_repeats) taken.add(numbers);
    add(batch, space_.configuration(numbers), std::move(receipt), pool_row(picked.best.index));
  });
}

template <class Take>
void Optimizer::State::pick(Batch& batch, internal::FantasyEnsemble& ensemble, std::uint64_t candidates,
                            const Take& take) {
  const StageTimer timer(batch.seconds.pick);
  internal::PickProblem problem{ensemble, next_id_ + batch.suggestions.size()};
  problem.batch.count = batch.round.left();
  const double parameter = acquisition_parameter(batch);
  problem.batch.acquisition = acquisition(parameter);
  problem.batch.repeats = options_.candidates.allow_repeats;
  if (counts_rounds()) {
    problem.batch.together = batch.round.opening(Phase::search);
    problem.batch.acquisition.round_log_cost = log_length(batch);
    problem.batch.acquisition.waiting = static_cast<double>(batch.suggestions.size());
  }
  const bool limited = options_.strict || batch.round.queues();
  if (limited) problem.batch.limit.of_next = [&] { return log_cost_limit(batch, Phase::search); };
  WorthCheck worth;
  if (batch.round.open(Phase::search)) {  // what fits behind other evaluations takes no time of its own
    problem.batch.beside = worth_rule();
    problem.batch.go_on = [&](const internal::Scored& best) {
      worth = check_worth(best, parameter);
      batch.not_worth = options_.stopping.price && options_.stopping.enforce && worth.stop.value_or(false);
      return !batch.not_worth;
    };
  }
  problem.batch.take = [&](const internal::PickedRow& picked) -> std::span<const double> {
    if (!batch.search) batch.search = SearchEnd{parameter, picked.best.score, picked.incumbent};
    Receipt receipt = search_receipt(picked, candidates);
    receipt.acquisition_parameter = parameter;
    if (internal::has_cost_exponent(options_.acquisition)) receipt.alpha = parameter;
    receipt.break_even_price = worth.break_even_price;
    receipt.would_stop = worth.stop;
    take(picked, std::move(receipt));
    return batch.encoded.back();
  };
  internal::BatchEnd end{};
  internal::pick_batches({&problem, 1}, {&end, 1});
  if (end == internal::BatchEnd::refused) refuse(batch);
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
  Batch batch = open_batch({0, count});
  if (count == 0 || !can_search()) return {};
  const internal::PickRule rule{acquisition(acquisition_parameter(batch)), strict_log_limit(batch)};
  std::vector<RankedCandidate> ranked;
  if (store_.streamed()) {
    const internal::CandidateStream stream = store_.stream(best_points(), rounds_);
    const internal::KnownPoints taken = untouchable(batch);
    internal::FantasyEnsemble ensemble = make_ensemble(batch, internal::extreme_sample(stream));
    begin_streamed_search(batch, ensemble, stream, taken);
    for (const internal::Scored& one : ensemble.top(rule, count)) {
      ranked.push_back({space_.configuration(numbers_of(stream, one.index)), pool_row(one.index), one.score});
    }
    return ranked;
  }
  prepare_search(batch, rounds_);
  if (store_.set().available() == 0) return {};
  const auto log_cost = log_cost_field(batch, internal::FieldUse::search);
  internal::FantasyEnsemble ensemble = make_ensemble(batch, internal::extreme_sample(store_.set(), columns()));
  begin_search(batch, ensemble, *log_cost);
  for (const internal::Scored& one : ensemble.top(rule, count)) {
    ranked.push_back({store_.configuration(one.index), store_.pool_index(one.index), one.score});
  }
  return ranked;
}

MemoryRequest Optimizer::State::memory_request(std::size_t batch) const {
  MemoryRequest request = internal::memory_of(space_, options_);
  request.candidates = store_.candidates();
  request.observations = history_.points_observed();
  request.copies = history_.observations().size() - request.observations;
  request.batch = std::max(batch, internal::most_in_round(options_.batches, options_.batch_size));
  request.batch += history_.pending().size();
  request.on_device = backend_choice_.on_device;
  request.budget = options_.backend.memory_bytes;
  return request;
}

MemoryPlan Optimizer::State::memory_plan() const {
  return internal::plan_memory(backend_->footprint(), memory_request(options_.batch_size));
}

/// A run that has begun goes on with the smallest models and tile where the budget is too small for these.
MemoryPlan Optimizer::State::working_plan(std::size_t batch) const {
  MemoryRequest request = memory_request(batch);
  request.budget = std::max(request.budget, internal::least_memory(backend_->footprint(), request));
  return internal::plan_memory(backend_->footprint(), request);
}

void Optimizer::State::follow(const MemoryPlan& plan) {
  store_.follow(plan);
  models_.limit_points(plan.model_points);
  backend_->limit_work({plan.threads, plan.fit_bytes});
}

void Optimizer::State::refuse(Batch& batch) const {
  if (!batch.round.open(Phase::search)) return;
  if (!options_.strict) {
    throw NumericalError(internal::text("none of the ", store_.candidates(),
                                        " candidates has a score; check for costs or objectives near the limits of "
                                        "double precision"));
  }
  batch.strict_refused = true;
}

double Optimizer::State::acquisition_parameter(const Batch& batch) const {
  kernels::RunState run;
  run.budget = options_.budget;
  run.used = batch.used;
  run.used_at_design_end = plan_.spent_at_end(batch.used);
  run.objective_scale = models_.objective_scale();
  run.typical_cost = history_.typical_cost();
  run.given = options_.acquisition_parameters;
  run.searched = last_search_.has_value();
  if (last_search_) {
    run.parameter = last_search_->parameter;
    run.score = last_search_->score;
    run.incumbent = last_search_->incumbent;
  }
  return internal::run_parameter(options_.acquisition, run);
}

kernels::AcquisitionSpec Optimizer::State::acquisition(double parameter) const {
  return internal::make_spec(options_.acquisition, parameter, options_.cost.weight, models_.objective_scale());
}

void Optimizer::State::fantasise_running(internal::FantasyEnsemble& ensemble, const Batch& batch) {
  std::vector<double> points;
  std::vector<std::uint64_t> ids;
  const auto add = [&](const std::vector<double>& encoded, std::uint64_t id) {
    points.insert(points.end(), encoded.begin(), encoded.end());
    ids.push_back(id);
  };
  for (const auto& [id, point] : history_.pending()) add(point.encoded, id);
  for (std::size_t i = 0; i < batch.suggestions.size(); ++i) add(batch.encoded[i], batch.suggestions[i].id);
  if (!ids.empty()) ensemble.fantasise_all({points.data(), ids.size(), points.size() / ids.size()}, ids);
}

}  // namespace carbo
