#include <carbo/minimize.hpp>

#include <limits>
#include <utility>

#include <carbo/error.hpp>

#include "engine/history.hpp"
#include "evaluation/evaluation_fault.hpp"
#include "evaluation/suggester.hpp"
#include "support/calls.hpp"
#include "support/stopwatch.hpp"

namespace carbo {
namespace {

/// An optimizer in memory.
class OptimizerSuggester final : public internal::Suggester {
 public:
  OptimizerSuggester(const Space& space, const Options& options) : optimizer_(space, options) {}

  const Space& space() const override { return optimizer_.space(); }
  const Options& options() const override { return optimizer_.options(); }
  Accounting accounting() const override { return optimizer_.accounting(); }
  void tell_earlier(const Observation& observation) override { optimizer_.tell(observation); }
  std::vector<Suggestion> ask(std::size_t count) override { return optimizer_.ask(count); }
  const Observation& tell(std::uint64_t id, const Evaluation& evaluation) override {
    optimizer_.tell(id, evaluation);
    return optimizer_.observations().back();
  }
  const Observation& fail(std::uint64_t id, double cost, std::string reason, bool timed_out) override {
    optimizer_.fail(id, cost, std::move(reason), timed_out);
    return optimizer_.observations().back();
  }
  void withdraw(std::uint64_t id) override { optimizer_.withdraw(id); }
  void renew(std::span<const std::uint64_t>) override {}
  double renewal_seconds() const override { return std::numeric_limits<double>::infinity(); }
  double watch_seconds() const override { return std::numeric_limits<double>::infinity(); }
  Counts counts() const override {
    Counts counts;
    for (const Observation& seen : optimizer_.observations()) {
      if (seen.origin != Origin::this_run) continue;
      ++counts.evaluations;
      counts.failures += seen.status != ObservationStatus::succeeded;
    }
    if (const Observation* const best = internal::best_of(optimizer_.observations(), optimizer_.options().goal))
      counts.best_objective = best->objective;
    return counts;
  }
  double spent() const override { return optimizer_.spent(); }
  Phase phase() const override { return optimizer_.phase(); }
  StopReason stop_reason() const override { return optimizer_.stop_reason(); }
  std::vector<std::string> warnings() const override { return optimizer_.warnings(); }
  std::string last_failure() const noexcept override { return internal::last_failure(optimizer_.observations()); }
  std::vector<Observation> take_observations() override { return std::move(optimizer_).observations(); }

 private:
  Optimizer optimizer_;
};

Result run(const Space& space, const Options& options, const CancellableObjective& objective, const Hooks& hooks,
           bool sees_context) {
  return internal::with_typed_exhaustion([&] {
    OptimizerSuggester suggester(space, options);
    return internal::evaluate(suggester, objective, hooks, sees_context);
  });
}

CancellableObjective ignoring_context(const Objective& objective) {
  if (!objective) return {};
  return
      [&objective](const Configuration& configuration, const EvaluationContext&) { return objective(configuration); };
}

}  // namespace

void internal::check_callable(const CancellableObjective& objective) {
  if (!objective) throw InvalidOptions("the objective is empty; give a function to evaluate");
}

bool EvaluationContext::stop_requested() const { return stop_.stop_requested() || seconds_left() <= 0; }

double EvaluationContext::seconds_left() const { return deadline_seconds_ - internal::steady_seconds(); }

Result minimize(const Space& space, const Options& options, const CancellableObjective& objective,
                const Hooks& hooks) {
  internal::check_callable(objective);
  return run(space, options, objective, hooks, true);
}

Result minimize(const Space& space, const Options& options, const Objective& objective, const Hooks& hooks) {
  const CancellableObjective called = ignoring_context(objective);
  internal::check_callable(called);
  return run(space, options, called, hooks, false);
}

Result maximize(const Space& space, Options options, const CancellableObjective& objective, const Hooks& hooks) {
  options.goal = Goal::maximize;
  return minimize(space, options, objective, hooks);
}

Result maximize(const Space& space, Options options, const Objective& objective, const Hooks& hooks) {
  options.goal = Goal::maximize;
  return minimize(space, options, objective, hooks);
}

}  // namespace carbo
