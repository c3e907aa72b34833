#include <carbo/optimizer.hpp>

#include <utility>

#include "engine/optimizer_state.hpp"
#include "support/calls.hpp"

namespace carbo {

namespace {

/// Runs `call` on the state behind an optimizer.
template <class State, class Call>
decltype(auto) in_turn(State* state, const Call& call) {
  return internal::in_turn(state, "optimizer", call);
}

}  // namespace

Optimizer::Optimizer(Space space, Options options)
    : state_(internal::with_typed_exhaustion(
          [&] { return std::make_unique<State>(std::move(space), std::move(options)); })) {}
Optimizer::Optimizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Optimizer::~Optimizer() = default;
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer& Optimizer::operator=(Optimizer&&) noexcept = default;

std::string Optimizer::save() const {
  return in_turn(state_.get(), [](const State& state) { return state.save(); });
}

Optimizer Optimizer::restore(std::string_view state, const RestoreOptions& given) {
  return Optimizer(internal::with_typed_exhaustion([&] { return State::restored(state, given); }));
}

std::vector<Suggestion> Optimizer::ask(std::size_t count) {
  return in_turn(state_.get(), [&](State& state) { return state.ask(count); });
}

std::vector<Suggestion> Optimizer::ask() {
  return in_turn(state_.get(), [](State& state) { return state.ask(state.options().batch_size); });
}

std::vector<RankedCandidate> Optimizer::rank(std::size_t count) {
  return in_turn(state_.get(), [&](State& state) { return state.rank(count); });
}

MemoryPlan Optimizer::memory_plan() const {
  return in_turn(state_.get(), [](const State& state) { return state.memory_plan(); });
}

std::uint64_t Optimizer::adopt(const Configuration& configuration) {
  return in_turn(state_.get(), [&](State& state) { return state.adopt(configuration); });
}

void Optimizer::enqueue(const Configuration& configuration) {
  in_turn(state_.get(), [&](State& state) { state.enqueue(configuration); });
}

std::vector<Configuration> Optimizer::enqueued() const {
  return in_turn(state_.get(), [](const State& state) { return state.enqueued(); });
}

bool Optimizer::dequeue(const Configuration& configuration) {
  return in_turn(state_.get(), [&](State& state) { return state.dequeue(configuration); });
}

std::vector<Prediction> Optimizer::predict(std::span<const Configuration> configurations, double coverage) {
  return in_turn(state_.get(), [&](State& state) { return state.predict(configurations, coverage); });
}

std::optional<Recommendation> Optimizer::recommend() {
  return in_turn(state_.get(), [](State& state) { return state.recommend(); });
}

std::optional<Importance> Optimizer::importance(Modelled model, const ImportanceOptions& options) {
  return in_turn(state_.get(), [&](State& state) { return state.importance(model, options); });
}

FittedModels Optimizer::hyperparameters() {
  return in_turn(state_.get(), [](State& state) { return state.hyperparameters(); });
}

void Optimizer::tell(std::uint64_t id, const Evaluation& evaluation) {
  in_turn(state_.get(), [&](State& state) { state.tell(id, evaluation); });
}

void Optimizer::tell(const Configuration& configuration, const Evaluation& evaluation, Origin origin) {
  in_turn(state_.get(), [&](State& state) { state.tell(configuration, evaluation, origin); });
}

void Optimizer::tell_prior(const Configuration& configuration, double objective) {
  in_turn(state_.get(), [&](State& state) { state.tell_prior(configuration, objective); });
}

void Optimizer::tell(const Observation& observation) {
  in_turn(state_.get(), [&](State& state) { state.tell(observation); });
}

void Optimizer::fail(std::uint64_t id, double cost, std::string reason, bool timed_out) {
  in_turn(state_.get(), [&](State& state) { state.fail(id, cost, std::move(reason), timed_out); });
}

void Optimizer::fail(const Configuration& configuration, double cost, std::string reason, bool timed_out,
                     Origin origin) {
  in_turn(state_.get(), [&](State& state) { state.fail(configuration, cost, std::move(reason), timed_out, origin); });
}

void Optimizer::withdraw(std::uint64_t id) {
  in_turn(state_.get(), [&](State& state) { state.withdraw(id); });
}

std::vector<std::uint64_t> Optimizer::pending() const {
  return in_turn(state_.get(), [](const State& state) {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, point] : state.history().pending()) ids.push_back(id);
    return ids;
  });
}

std::vector<Suggestion> Optimizer::pending_suggestions() const {
  return in_turn(state_.get(), [](const State& state) { return state.pending_suggestions(); });
}

std::span<const Observation> Optimizer::observations() const& {
  return in_turn(state_.get(), [](const State& state) { return state.history().observations(); });
}

std::vector<Observation> Optimizer::observations() && {
  std::vector<Observation> taken = in_turn(state_.get(), [](State& state) { return state.take_observations(); });
  state_.reset();
  return taken;
}

std::optional<Observation> Optimizer::best() const {
  return in_turn(state_.get(), [](const State& state) {
    const Observation* const best = state.best();
    return best == nullptr ? std::nullopt : std::optional(*best);
  });
}

double Optimizer::spent() const {
  return in_turn(state_.get(), [](const State& state) { return state.spent(); });
}

Accounting Optimizer::accounting() const {
  return in_turn(state_.get(), [](const State& state) { return state.options().accounting; });
}

Phase Optimizer::phase() const {
  return in_turn(state_.get(), [](const State& state) { return state.phase(); });
}

StopReason Optimizer::stop_reason() const {
  return in_turn(state_.get(), [](const State& state) { return state.stop_reason(); });
}

std::vector<std::string> Optimizer::warnings() const {
  return in_turn(state_.get(), [](const State& state) { return state.warnings(); });
}

const Space& Optimizer::space() const {
  return in_turn(state_.get(), [](const State& state) -> const Space& { return state.space(); });
}

const Options& Optimizer::options() const {
  return in_turn(state_.get(), [](const State& state) -> const Options& { return state.options(); });
}

}  // namespace carbo
