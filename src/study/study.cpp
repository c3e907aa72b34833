#include <carbo/study.hpp>

#include <limits>
#include <utility>

#include "study/study_state.hpp"
#include "support/calls.hpp"

namespace carbo {
namespace {

/// Runs `call` on the state behind a study.
template <class State, class Call>
decltype(auto) in_turn(State* state, const Call& call) {
  return internal::in_turn(state, "study", call);
}

/// The same with space and options as the file has them now.
template <class State, class Call>
decltype(auto) in_step(State* state, const Call& call) {
  return in_turn(state, [&](State& behind) -> decltype(auto) {
    behind.refresh();
    return call(behind);
  });
}

}  // namespace

Study::Study(std::unique_ptr<State> state) : state_(std::move(state)) {}
Study::~Study() = default;
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;

Study Study::open(const std::filesystem::path& file, const std::string& name, const Space& space,
                  const Options& options, const StudyOptions& how) {
  return Study(
      internal::with_typed_exhaustion([&] { return State::created_or_continued(file, name, space, options, how); }));
}

Study Study::open(const std::filesystem::path& file, const std::string& name, const StudyOptions& how) {
  return Study(internal::with_typed_exhaustion([&] { return State::continued(file, name, how); }));
}

std::vector<Suggestion> Study::ask(std::size_t count) {
  return in_step(state_.get(), [&](State& state) { return state.ask(count, TrialState::running); });
}

std::vector<Suggestion> Study::ask() {
  return in_step(state_.get(),
                 [](State& state) { return state.ask(state.options().batch_size, TrialState::running); });
}

std::vector<Suggestion> Study::prepare(std::size_t count) {
  return in_step(state_.get(), [&](State& state) { return state.ask(count, TrialState::waiting); });
}

void Study::begin(std::uint64_t id, const std::string& worker) {
  in_step(state_.get(), [&](State& state) { state.begin(id, worker); });
}

void Study::tell(std::uint64_t id, const Evaluation& evaluation, const TrialNotes& notes) {
  in_step(state_.get(), [&](State& state) { state.tell(id, evaluation, notes); });
}

void Study::tell(const Observation& observation, const TrialNotes& notes) {
  in_step(state_.get(), [&](State& state) { state.tell(observation, notes); });
}

void Study::tell_prior(const Configuration& configuration, double objective) {
  Observation told{{},
                   configuration,
                   ObservationStatus::succeeded,
                   Origin::prior,
                   objective,
                   std::numeric_limits<double>::quiet_NaN(),
                   ""};
  in_step(state_.get(), [&](State& state) { state.tell(told, {}); });
}

void Study::fail(std::uint64_t id, double cost, std::string reason, bool timed_out, const TrialNotes& notes) {
  in_step(state_.get(), [&](State& state) { state.fail(id, cost, std::move(reason), timed_out, notes); });
}

void Study::withdraw(std::uint64_t id) {
  in_step(state_.get(), [&](State& state) { state.withdraw(id); });
}

std::uint64_t Study::adopt(const Configuration& configuration) {
  return in_step(state_.get(), [&](State& state) { return state.adopt(configuration); });
}

void Study::enqueue(const Configuration& configuration) {
  in_step(state_.get(), [&](State& state) { state.enqueue(configuration); });
}

std::vector<Configuration> Study::enqueued() const {
  return in_step(state_.get(), [](State& state) { return state.enqueued(); });
}

bool Study::dequeue(const Configuration& configuration) {
  return in_step(state_.get(), [&](State& state) { return state.dequeue(configuration); });
}

void Study::renew(std::span<const std::uint64_t> ids) {
  in_step(state_.get(), [&](State& state) { state.renew(ids); });
}

void Study::release(std::span<const std::uint64_t> ids) {
  in_step(state_.get(), [&](State& state) { state.release(ids); });
}

void Study::report(std::uint64_t id, const Report& report) {
  in_step(state_.get(), [&](State& state) { state.report(id, report); });
}

bool Study::claim() {
  return in_turn(state_.get(), [](State& state) { return state.claim(); });
}

void Study::unclaim() {
  in_turn(state_.get(), [](State& state) { state.unclaim(); });
}

void Study::pause() {
  in_step(state_.get(), [](State& state) { state.pause(); });
}

void Study::resume() {
  in_step(state_.get(), [](State& state) { state.resume(); });
}

void Study::change_limits(const StudyLimits& limits) {
  in_step(state_.get(), [&](State& state) { state.change_limits(limits); });
}

std::vector<Prediction> Study::predict(std::span<const Configuration> configurations, double coverage) {
  return in_step(state_.get(), [&](State& state) {
    return state.answer([&](Optimizer& optimizer) { return optimizer.predict(configurations, coverage); });
  });
}

std::optional<Recommendation> Study::recommend() {
  return in_step(state_.get(), [](State& state) {
    return state.answer([](Optimizer& optimizer) { return optimizer.recommend(); });
  });
}

std::optional<Importance> Study::importance(Modelled model, const ImportanceOptions& options) {
  return in_step(state_.get(), [&](State& state) {
    return state.answer([&](Optimizer& optimizer) { return optimizer.importance(model, options); });
  });
}

FittedModels Study::hyperparameters() {
  return in_step(state_.get(), [](State& state) {
    return state.answer([](Optimizer& optimizer) { return optimizer.hyperparameters(); });
  });
}

std::vector<RankedCandidate> Study::rank(std::size_t count) {
  return in_step(state_.get(), [&](State& state) {
    return state.answer([&](Optimizer& optimizer) { return optimizer.rank(count); });
  });
}

std::string Study::save() {
  return in_step(state_.get(), [](State& state) { return state.save(); });
}

std::vector<std::string> Study::warnings() {
  return in_step(state_.get(), [](State& state) { return state.warnings(); });
}

StudySummary Study::summary() const {
  return in_step(state_.get(), [](State& state) { return state.summary(); });
}

std::vector<Trial> Study::trials() const {
  return in_step(state_.get(), [](State& state) { return state.trials(); });
}

std::vector<Trial> Study::pending_trials() const {
  return in_step(state_.get(), [](State& state) { return state.pending_trials(); });
}

std::optional<Trial> Study::trial(std::uint64_t id) const {
  return in_step(state_.get(), [&](State& state) { return state.trial(id); });
}

std::vector<Report> Study::reports(std::uint64_t id) const {
  return in_step(state_.get(), [&](State& state) { return state.reports(id); });
}

std::optional<Receipt> Study::receipt(std::uint64_t id) const {
  return in_step(state_.get(), [&](State& state) { return state.receipt(id); });
}

std::vector<Suggestion> Study::pending_suggestions() const {
  return in_step(state_.get(), [](State& state) { return state.pending_suggestions(); });
}

std::optional<Trial> Study::best() const { return summary().best; }
double Study::spent() const { return summary().spent; }
StopReason Study::stop_reason() const { return summary().stop_reason; }

void Study::set_attribute(const std::string& key, const std::string& value) {
  in_step(state_.get(), [&](State& state) { state.set_attribute(key, value); });
}

void Study::at_once(const std::function<void()>& changes) {
  std::optional<internal::Transaction> all;
  in_step(state_.get(), [&](State& state) { all.emplace(state.database(), internal::Transaction::Kind::write); });
  try {
    changes();
    in_turn(state_.get(), [&](State&) { all->commit(); });
  } catch (...) {
    if (state_) state_->forget_optimizer();  // it may know what is taken back
    throw;
  }
}

std::optional<std::string> Study::attribute(const std::string& key) const {
  return in_step(state_.get(), [&](State& state) { return state.attribute(key); });
}

const Space& Study::space() const {
  return in_turn(state_.get(), [](State& state) -> const Space& { return state.space(); });
}

const Options& Study::options() const {
  return in_turn(state_.get(), [](State& state) -> const Options& { return state.options(); });
}

const std::string& Study::name() const {
  return in_turn(state_.get(), [](State& state) -> const std::string& { return state.name(); });
}

const std::filesystem::path& Study::file() const {
  return in_turn(state_.get(), [](State& state) -> const std::filesystem::path& { return state.file(); });
}

const std::string& Study::owner() const {
  return in_turn(state_.get(), [](State& state) -> const std::string& { return state.owner(); });
}

}  // namespace carbo
