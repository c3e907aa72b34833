#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "engine/validate_options.hpp"
#include "evaluation/suggester.hpp"
#include "study/study_state.hpp"
#include "support/calls.hpp"

namespace carbo {

/// A study in a file, as the closed loop sees it.
class internal::StudySuggester final : public internal::Suggester {
 public:
  using Notes = std::function<TrialNotes(std::uint64_t)>;
  StudySuggester(Study& study, Notes notes) : study_(study), notes_(std::move(notes)) {
    study_.state_->release_own();
  }

  const Space& space() const override { return study_.space(); }
  const Options& options() const override { return study_.options(); }
  Accounting accounting() const override { return internal::resolved_accounting(options()); }
  void tell_earlier(const Observation& observation) override { study_.tell(observation); }
  std::vector<Suggestion> ask(std::size_t count) override { return study_.ask(count); }

  const Observation& tell(std::uint64_t id, const Evaluation& evaluation) override {
    return ended(id, [&] { study_.tell(id, evaluation, notes(id)); });
  }
  const Observation& fail(std::uint64_t id, double cost, std::string reason, bool timed_out) override {
    return ended(id, [&] { study_.fail(id, cost, std::move(reason), timed_out, notes(id)); });
  }
  std::vector<Suggestion> prepare(std::size_t count) override { return study_.prepare(count); }
  // Where another has the result of a point already, nothing is left to be done.
  void withdraw(std::uint64_t id) override {
    if_pending([&] { study_.withdraw(id); });
  }
  void begin(std::uint64_t id, std::size_t worker) override {
    if_pending([&] { study_.begin(id, std::to_string(worker)); });
  }
  void release(std::uint64_t id) override {
    if_pending([&] { study_.release({&id, 1}); });
  }
  void renew(std::span<const std::uint64_t> ids) override {
    try {
      study_.renew(ids);
    } catch (const UnknownSuggestion&) {
      // Those that others took over run on: the first result counts.
    }
  }
  double renewal_seconds() const override { return study_.state_->renewal_seconds(); }

  Counts counts() const override {
    const StudySummary summary = study_.summary();
    const std::size_t failures = summary.failed + summary.timed_out;
    return {summary.succeeded + failures, failures, summary.best ? summary.best->objective : std::nullopt};
  }
  double spent() const override { return study_.spent(); }
  Phase phase() const override { return study_.summary().phase; }
  StopReason stop_reason() const override { return study_.stop_reason(); }
  std::vector<std::string> warnings() const override { return study_.warnings(); }

  std::string last_failure() const noexcept override {
    try {
      const std::vector<Observation> seen = observations();
      const auto last = std::find_if(seen.rbegin(), seen.rend(), [](const Observation& one) {
        return one.status != ObservationStatus::succeeded;
      });
      return last == seen.rend() ? std::string() : last->reason;
    } catch (const std::exception&) {
      return {};
    }
  }
  std::vector<Observation> take_observations() override { return observations(); }

 private:
  TrialNotes notes(std::uint64_t id) const { return notes_ ? notes_(id) : TrialNotes{}; }

  template <class Call>
  static void if_pending(const Call& call) {
    try {
      call();
    } catch (const UnknownSuggestion&) {
    }
  }

  template <class Call>
  const Observation& ended(std::uint64_t id, const Call& call) {
    try {
      call();
    } catch (const UnknownSuggestion&) {
      if (!study_.trial(id)) throw;  // otherwise another was faster, or took it back
    }
    const Trial trial = *study_.trial(id);
    last_ = internal::observation_of(trial);
    if (trial.state == TrialState::withdrawn) last_.cost = 0;
    return last_;
  }

  std::vector<Observation> observations() const {
    std::vector<Trial> trials = study_.trials();
    std::erase_if(trials, [](const Trial& trial) {
      return internal::is_pending(trial.state) || trial.state == TrialState::withdrawn;
    });
    std::ranges::sort(trials, {}, &Trial::sequence);
    std::vector<Observation> observations;
    for (const Trial& trial : trials) observations.push_back(internal::observation_of(trial));
    return observations;
  }

  Study& study_;
  Notes notes_;
  Observation last_;
};

namespace {

Result run_study(Study& study, const CancellableObjective& objective, const Hooks& hooks, bool sees_context,
                 const std::function<TrialNotes(std::uint64_t)>& notes = {}) {
  internal::check_callable(objective);
  if (!hooks.prior.empty())
    throw InvalidOptions(
        "Hooks::prior is given with a durable study, which keeps what it is told; tell prior data to the study, "
        "once");
  return internal::with_typed_exhaustion([&] {
    internal::StudySuggester suggester(study, notes);
    return internal::evaluate(suggester, objective, hooks, sees_context);
  });
}

}  // namespace

Result minimize(Study& study, const CancellableObjective& objective, const Hooks& hooks) {
  return run_study(study, objective, hooks, true);
}

Result minimize(Study& study, const CancellableObjective& objective, const StudyHooks& hooks) {
  return run_study(study, objective, hooks, true, hooks.notes);
}

Result minimize(Study& study, const Objective& objective, const Hooks& hooks) {
  if (!objective) return run_study(study, CancellableObjective(), hooks, false);
  return run_study(
      study, [&](const Configuration& point, const EvaluationContext&) { return objective(point); }, hooks, false);
}

}  // namespace carbo
