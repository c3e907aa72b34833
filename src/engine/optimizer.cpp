#include <carbo/optimizer.hpp>

#include <utility>

#include "engine/optimizer_state.hpp"

namespace carbo {

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::running:
      return "running";
    case StopReason::budget:
      return "budget spent";
    case StopReason::evaluations:
      return "maximum number of evaluations";
    case StopReason::target:
      return "target reached";
    case StopReason::exhausted:
      return "every candidate evaluated";
    case StopReason::cancelled:
      return "cancelled";
    case StopReason::failures:
      return "too many failures in a row";
    case StopReason::strict_budget:
      return "nothing left that fits the budget";
    case StopReason::error:
      return "error";
  }
  return "unknown";
}

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::warm_start:
      return "warm start";
    case Phase::design:
      return "design";
    case Phase::search:
      return "search";
  }
  return "unknown";
}

Optimizer::Optimizer(Space space, Options options)
    : state_(std::make_unique<State>(std::move(space), std::move(options))) {}
Optimizer::~Optimizer() = default;
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer& Optimizer::operator=(Optimizer&&) noexcept = default;

std::vector<Suggestion> Optimizer::ask(std::size_t count) { return state_->ask(count); }
std::vector<Suggestion> Optimizer::ask() { return state_->ask(state_->options().batch_size); }

std::vector<RankedCandidate> Optimizer::rank(std::size_t count) { return state_->rank(count); }
MemoryPlan Optimizer::memory_plan() const { return state_->memory_plan(); }

void Optimizer::tell(std::uint64_t id, const Evaluation& evaluation) { state_->tell(id, evaluation); }
void Optimizer::tell(const Configuration& configuration, const Evaluation& evaluation, Origin origin) {
  state_->tell(configuration, evaluation, origin);
}
void Optimizer::tell(const Observation& observation) { state_->tell(observation); }
void Optimizer::fail(std::uint64_t id, double cost, const std::string& reason, bool timed_out) {
  state_->fail(id, cost, reason, timed_out);
}
void Optimizer::fail(const Configuration& configuration, double cost, const std::string& reason, bool timed_out,
                     Origin origin) {
  state_->fail(configuration, cost, reason, timed_out, origin);
}
void Optimizer::withdraw(std::uint64_t id) { state_->withdraw(id); }

std::vector<std::uint64_t> Optimizer::pending() const {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, point] : state_->history().pending()) ids.push_back(id);
  return ids;
}
std::span<const Observation> Optimizer::observations() const { return state_->history().observations(); }
std::optional<Observation> Optimizer::best() const { return state_->best(); }
double Optimizer::spent() const { return state_->spent(); }
Accounting Optimizer::accounting() const { return state_->options().accounting; }
Phase Optimizer::phase() const { return state_->phase(); }
StopReason Optimizer::stop_reason() const { return state_->stop_reason(); }
const Space& Optimizer::space() const { return state_->space(); }
const Options& Optimizer::options() const { return state_->options(); }

}  // namespace carbo
