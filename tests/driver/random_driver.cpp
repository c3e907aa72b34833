#include "driver/random_driver.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <typeinfo>

#include "support/not_finite.hpp"

namespace carbo::test {
namespace {

using carbo::test::not_a_number;

Options with_threads(Options options, std::size_t threads) {
  options.backend.threads = threads;
  return options;
}

bool same_numbers(const Configuration& a, const Configuration& b) {
  return std::ranges::equal(a.numbers(), b.numbers());
}

bool same(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || test::same(*a, *b));
}

/// To the bit, but for the time that it took.
bool same(const Suggestion& a, const Suggestion& b) {
  return a.id == b.id && same_numbers(a.configuration, b.configuration) && a.pool_index == b.pool_index &&
         a.receipt.phase == b.receipt.phase && a.receipt.enqueued == b.receipt.enqueued &&
         same(a.receipt.alpha, b.receipt.alpha) && same(a.receipt.log_score, b.receipt.log_score) &&
         same(a.receipt.predicted_cost, b.receipt.predicted_cost) && a.slot == b.slot && a.order == b.order &&
         same(a.receipt.round_length, b.receipt.round_length) &&
         same(a.receipt.predicted_objective, b.receipt.predicted_objective) &&
         same(a.receipt.predicted_objective_lower, b.receipt.predicted_objective_lower) &&
         same(a.receipt.predicted_objective_upper, b.receipt.predicted_objective_upper);
}

bool same(const RankedCandidate& a, const RankedCandidate& b) {
  return same_numbers(a.configuration, b.configuration) && a.pool_index == b.pool_index && a.log_score == b.log_score;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
}

}  // namespace

void Operations::add(const Operations& other) {
  asks += other.asks;
  tells += other.tells;
  failures += other.failures;
  withdrawals += other.withdrawals;
  ranks += other.ranks;
  unsuggested += other.unsuggested;
  refused += other.refused;
  adopted += other.adopted;
  enqueued += other.enqueued;
  knowledge += other.knowledge;
  restores += other.restores;
  suggestions += other.suggestions;
  searched += other.searched;
}

RandomDriver::RandomDriver(std::uint64_t seed, const Extremes& extremes)
    : dice_(seed),
      extremes_(extremes),
      space_(random_space(dice_)),
      options_(random_options(dice_, space_, extremes)),
      alone_(space_, with_threads(options_, 1)),
      in_pair_(space_, with_threads(options_, 2)),
      shadow_(alone_.options()) {}

void RandomDriver::give_up(const std::string& what) const { throw std::logic_error(what); }

template <class Call>
auto RandomDriver::both(const char* name, const Call& call) {
  try {
    auto first = call(alone_);
    auto second = call(in_pair_);
    if (!same(first, second)) give_up(std::string(name) + ": not the same with two threads as with one");
    return first;
  } catch (const Error& error) {
    give_up(std::string(name) + " threw " + typeid(error).name() + ": " + error.what());
  }
}

void RandomDriver::check_records(bool deeply) const {
  for (const Optimizer* const optimizer : {&alone_, &in_pair_}) {
    const std::string difference = shadow_.difference(*optimizer, deeply);
    if (!difference.empty()) give_up(difference);
  }
}

void RandomDriver::run(std::size_t calls) {
  while (operations_.all() < calls) {
    step();
    check_records(false);
    check_stop();
    if (alone_.done() && shadow_.pending().empty()) break;
  }
  check_records(true);
}

void RandomDriver::step() {
  const std::size_t roll = dice_.below(100);
  if (roll < 20 || (shadow_.pending().empty() && roll < 60)) return ask(dice_.below(6));
  if (roll < 50 && !shadow_.pending().empty()) return tell();
  if (roll < 55 && !shadow_.pending().empty()) return fail();
  if (roll < 60 && !shadow_.pending().empty()) return withdraw();
  if (roll < 65) return tell_unsuggested();
  if (roll < 75) return rank();
  if (roll < 80) return adopt();
  if (roll < 86) return enqueue();
  if (roll < 89) return know();
  if (roll < 94) return restore();
  refused();
}

void RandomDriver::ask(std::size_t count) {
  ++operations_.asks;
  const Phase before = alone_.phase();
  const bool over = alone_.done();
  const std::vector<Suggestion> batch = both("ask", [&](Optimizer& one) { return one.ask(count); });
  if (over && !batch.empty()) give_up("suggestions after the end");
  check_round(batch, count);
  check_queue(batch, count);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    check_suggestion(batch[i], before);
    if (batch[i].id != shadow_.next_id() + i) give_up("ids are not consecutive");
    for (std::size_t j = 0; j < i; ++j)
      if (!may_repeat(batch[i]) && same_numbers(batch[i].configuration, batch[j].configuration))
        give_up("one point twice in a batch");
  }
  operations_.suggestions += batch.size();
  if (batch.empty()) return;
  shadow_.suggested(batch);
  const std::size_t started = shadow_.evaluated_in_run() + shadow_.pending().size();
  if (options_.max_evaluations && started > std::max(*options_.max_evaluations, shadow_.evaluated_in_run()))
    give_up("more evaluations than max_evaluations");
}

void RandomDriver::check_round(const std::vector<Suggestion>& round, std::size_t workers) const {
  const bool queues = options_.batches != Batches::fixed;
  if (round.size() > workers * (queues ? Optimizer::most_per_worker : 1)) give_up("more suggestions than asked for");
  if (options_.execution == Execution::asynchronous) return;
  std::vector<double> times(workers, 0.0);
  std::vector<std::size_t> sizes(workers, 0);
  double length = 0;
  for (const Suggestion& suggestion : round) {
    if (suggestion.slot >= workers || suggestion.order != sizes[suggestion.slot]++) give_up("a hole in a queue");
    times[suggestion.slot] += suggestion.receipt.predicted_cost.value_or(0.0);
    length = std::max(length, suggestion.receipt.round_length.value_or(0.0));
  }
  for (std::size_t slot = 0; slot < workers; ++slot)
    if (sizes[slot] > 1 && !(times[slot] <= length * (1 + 1e-9))) give_up("a queue that is longer than its round");
}

void RandomDriver::check_suggestion(const Suggestion& suggestion, Phase phase_before) const {
  const std::span<const double> numbers = suggestion.configuration.numbers();
  if (!belongs(space_, numbers)) give_up("a suggestion outside the space");
  if (!may_repeat(suggestion) && shadow_.known(numbers)) give_up("a point that is known was suggested");
  if (options_.candidates.pool) {
    const bool row = suggestion.pool_index && *suggestion.pool_index < options_.candidates.pool->size() &&
                     std::ranges::equal(options_.candidates.pool->row(*suggestion.pool_index), numbers);
    if (!row) give_up("a suggestion that is no row of the pool");
  }
  if (suggestion.receipt.alpha && phase_before != Phase::search && suggestion.receipt.phase != Phase::search)
    give_up("an exponent before the search");
  check_receipt(suggestion.receipt);
}

void RandomDriver::check_receipt(const Receipt& receipt) const {
  if (receipt.alpha && !(*receipt.alpha >= 0 && *receipt.alpha <= 1)) give_up("an exponent outside [0, 1]");
  if (receipt.runner_up_log_score && !(*receipt.log_score >= *receipt.runner_up_log_score))
    give_up("a runner-up above the pick");
  if (!extremes_.finite_receipts) return;
  const auto finite = [&](const char* name, const std::optional<double>& value) {
    if (!std::isfinite(value.value_or(0.0)))
      give_up("of a receipt, " + std::string(name) + " is " + std::to_string(*value));
  };
  finite("spent", receipt.spent);
  finite("committed", receipt.committed);
  finite("objective_jitter", receipt.objective_jitter);
  finite("cost_jitter", receipt.cost_jitter);
  finite("alpha", receipt.alpha);
  finite("predicted_cost", receipt.predicted_cost);
  finite("predicted_log_cost_sd", receipt.predicted_log_cost_sd);
  finite("predicted_objective", receipt.predicted_objective);
  finite("predicted_objective_sd", receipt.predicted_objective_sd);
  finite("predicted_objective_lower", receipt.predicted_objective_lower);
  finite("predicted_objective_upper", receipt.predicted_objective_upper);
  finite("log_score", receipt.log_score);
  finite("runner_up_log_score", receipt.runner_up_log_score);
  finite("break_even_price", receipt.break_even_price);
  finite("finished_share", receipt.finished_share);
  finite("low_precision_share", receipt.low_precision_share);
  finite("refreshed_share", receipt.refreshed_share);
  for (const auto& one : {receipt.objective_calibration, receipt.cost_calibration}) {
    if (!one) continue;
    finite("log_density", one->log_density);
    finite("coverage", one->coverage);
    finite("squared_residual", one->squared_residual);
  }
}

void RandomDriver::check_stop() const {
  const StopReason reason = alone_.stop_reason();
  if (reason != in_pair_.stop_reason()) give_up("another reason to stop with two threads than with one");
  const double spent = shadow_.spent(), room = 1e-13 * shadow_.paid();
  if (reason == StopReason::budget && spent < options_.budget - room) give_up("stopped before the budget is spent");
  if (reason == StopReason::running && spent > options_.budget + room) give_up("goes on when the budget is spent");
  const bool enough = options_.max_evaluations && shadow_.evaluated_in_run() >= *options_.max_evaluations;
  if (reason == StopReason::evaluations && !enough) give_up("stopped before max_evaluations");
  if (reason == StopReason::running && enough) give_up("goes on after max_evaluations");
  if (reason == StopReason::target && !options_.target) give_up("a target that was not set was reached");
}

void RandomDriver::rank() {
  ++operations_.ranks;
  const std::size_t count = dice_.below(5);
  const auto ranked = both("rank", [&](Optimizer& one) { return one.rank(count); });
  if (ranked.size() > count) give_up("rank returned more than asked for");
  for (const RankedCandidate& one : ranked) {
    if (!belongs(space_, one.configuration.numbers())) give_up("a ranked candidate outside the space");
    if (!options_.candidates.allow_repeats && shadow_.known(one.configuration.numbers()))
      give_up("a point that is known was ranked");
  }
  if (!std::ranges::is_sorted(ranked, std::greater{}, &RankedCandidate::log_score)) give_up("ranks out of order");
  if (ranked.empty() || alone_.phase() != Phase::search || alone_.done() || !shadow_.queue().empty() ||
      !dice_.chance(0.5))
    return;
  const std::uint64_t id = shadow_.next_id();
  ask(1);
  if (shadow_.next_id() == id) return;
  ++operations_.searched;
  if (!std::ranges::equal(shadow_.pending().at(id), ranked.front().configuration.numbers()))
    give_up("ask(1) suggests another point than rank had first");
}

std::uint64_t RandomDriver::some_pending() {
  return std::next(shadow_.pending().begin(), static_cast<std::ptrdiff_t>(dice_.below(shadow_.pending().size())))
      ->first;
}

Configuration RandomDriver::some_configuration() {
  const bool again = !shadow_.observations().empty() && dice_.chance(0.3);
  if (again) return dice_.one_of(shadow_.observations()).configuration;
  std::vector<double> unit(space_.parameters().size()), numbers(unit.size());
  for (double& one : unit) one = dice_.one_of({0.0, dice_.uniform(), 1.0});
  space_.from_unit(unit, numbers);
  return space_.configuration(numbers);
}

void RandomDriver::tell() {
  ++operations_.tells;
  const std::uint64_t id = some_pending();
  const Evaluation evaluation = random_evaluation(dice_, options_, extremes_);
  const Configuration configuration = space_.configuration(shadow_.pending().at(id));
  for (Optimizer* const optimizer : {&alone_, &in_pair_}) optimizer->tell(id, evaluation);
  shadow_.told(id, {id, configuration, ObservationStatus::succeeded, Origin::this_run, evaluation.objective,
                    evaluation.cost, ""});
}

void RandomDriver::fail() {
  ++operations_.failures;
  const std::uint64_t id = some_pending();
  const double cost = random_evaluation(dice_, options_, extremes_).cost;
  const bool timed_out = dice_.chance(0.4);
  const Configuration configuration = space_.configuration(shadow_.pending().at(id));
  for (Optimizer* const optimizer : {&alone_, &in_pair_}) optimizer->fail(id, cost, "chance", timed_out);
  const auto status = timed_out ? ObservationStatus::timed_out : ObservationStatus::failed;
  shadow_.told(id, {id, configuration, status, Origin::this_run, not_a_number, cost, "chance"});
}

void RandomDriver::withdraw() {
  ++operations_.withdrawals;
  const std::uint64_t id = some_pending();
  for (Optimizer* const optimizer : {&alone_, &in_pair_}) optimizer->withdraw(id);
  shadow_.withdrawn(id);
}

/// A result of this run only where costs are summed: how others count is the ledger's own business.
void RandomDriver::tell_unsuggested() {
  ++operations_.unsuggested;
  const Configuration configuration = some_configuration();
  const Evaluation evaluation = random_evaluation(dice_, options_, extremes_);
  const bool own = alone_.accounting() == Accounting::sum && dice_.chance(0.5);
  const Origin origin = own ? Origin::this_run : Origin::prior;
  for (Optimizer* const optimizer : {&alone_, &in_pair_}) optimizer->tell(configuration, evaluation, origin);
  shadow_.told_unsuggested(
      {std::nullopt, configuration, ObservationStatus::succeeded, origin, evaluation.objective, evaluation.cost, ""});
}

void RandomDriver::restore() {
  ++operations_.restores;
  Optimizer& one = dice_.chance(0.5) ? alone_ : in_pair_;
  const std::string state = one.save();
  one = Optimizer::restore(state, given_again(space_, options_));
  if (one.save() != state) give_up("another state after a restore");
  check_records(true);
}

void RandomDriver::refused() {
  const Evaluation bad = refused_evaluation(dice_, options_);
  const double bad_cost = dice_.one_of({-1.0, not_a_number, std::numeric_limits<double>::infinity()});
  const std::uint64_t gone = shadow_.next_id() == 0 ? 0 : dice_.below(shadow_.next_id());
  const std::uint64_t unknown = shadow_.pending().contains(gone) ? shadow_.next_id() + dice_.below(3) : gone;
  const std::size_t kinds = shadow_.pending().empty() ? 4 : 6;
  switch (dice_.below(kinds)) {
    case 0:
      return expect_refused<UnknownSuggestion>("an id", [&](Optimizer& one) { one.tell(unknown, {1.0, 1.0}); });
    case 1:
      return expect_refused<UnknownSuggestion>("an id", [&](Optimizer& one) { one.withdraw(unknown); });
    case 2: {
      const Configuration configuration = some_configuration();
      return expect_refused<InvalidObservation>("a result", [&](Optimizer& one) { one.tell(configuration, bad); });
    }
    case 3: {
      const Space others{real("stranger", 0.0, 1.0)};
      const Configuration stranger = others.configuration(std::vector<double>{0.5});
      return expect_refused<InvalidConfiguration>("a stranger", [&](Optimizer& one) {
        one.tell(stranger, {1.0, 1.0});
      });
    }
    case 4: {
      const std::uint64_t id = some_pending();
      return expect_refused<InvalidObservation>("a result", [&](Optimizer& one) { one.tell(id, bad); });
    }
    default: {
      const std::uint64_t id = some_pending();
      return expect_refused<InvalidObservation>("a cost", [&](Optimizer& one) { one.fail(id, bad_cost, "chance"); });
    }
  }
}

}  // namespace carbo::test
