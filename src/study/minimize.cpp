#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>

#include <carbo/error.hpp>

#include "engine/validate_options.hpp"
#include "evaluation/suggester.hpp"
#include "study/study_state.hpp"
#include "support/calls.hpp"

namespace carbo {

namespace {

constexpr std::chrono::milliseconds retry_pause{10};  // beside StudyOptions::busy_wait, which may be 0

}  // namespace

/// A study in a file, as the closed loop sees it. Where another process holds the file for longer than busy_wait,
/// results wait for it, until the run is told to stop; what can be made up for later does not.
class internal::StudySuggester final : public internal::Suggester {
 public:
  using Notes = std::function<TrialNotes(std::uint64_t)>;
  StudySuggester(Study& study, Notes notes, std::stop_token stop)
      : study_(study), notes_(std::move(notes)), stop_(std::move(stop)) {
    study_.state_->release_own();
  }
  ~StudySuggester() override { study_.state_->held.clear(); }

  const Space& space() const override { return study_.space(); }
  const Options& options() const override { return study_.options(); }
  Accounting accounting() const override { return internal::resolved_accounting(options()); }
  void tell_earlier(const Observation& observation) override { study_.tell(observation); }
  std::vector<Suggestion> ask(std::size_t count) override {
    return asked([&] { return study_.ask(count); });
  }
  bool kept_waiting() const override { return kept_waiting_; }

  const Observation& tell(std::uint64_t id, const Evaluation& evaluation) override {
    return ended(id, [&] { study_.tell(id, evaluation, notes(id)); });
  }
  const Observation& fail(std::uint64_t id, double cost, std::string reason, bool timed_out) override {
    return ended(id, [&] { study_.fail(id, cost, reason, timed_out, notes(id)); });
  }
  std::vector<Suggestion> prepare(std::size_t count) override {
    return asked([&] { return study_.prepare(count); });
  }
  // Where another has the result of a point already, nothing is left to be done. What cannot be withdrawn or released
  // is lost with this process or its lease, and handed out then.
  void withdraw(std::uint64_t id) override {
    study_.state_->held.erase(id);
    recorded([&] { patiently([&] { study_.withdraw(id); }); });
  }
  bool begin(std::uint64_t id, std::size_t worker, bool ended) override {
    const auto say = [&] { study_.begin(id, std::to_string(worker)); };
    return recorded([&] { ended ? patiently(say) : say(); });
  }
  void release(std::uint64_t id) override {
    study_.state_->held.erase(id);
    recorded([&] { study_.release({&id, 1}); });
  }
  // Those that others took over run on: the first result counts.
  void renew(std::span<const std::uint64_t> ids) override {
    recorded([&] { study_.renew(ids); });
  }
  double renewal_seconds() const override { return study_.state_->renewal_seconds(); }
  Wishes wishes() override {
    Wishes wishes{false, study_.state_->definition()};
    recorded([&] {
      wishes.paused = study_.summary().paused.has_value();
      wishes.settings = study_.state_->definition();
    });
    return wishes;
  }
  double watch_seconds() const override { return 0.1; }

  Counts counts() const override {
    const StudySummary summary = patiently([&] { return study_.summary(); });
    const std::size_t failures = summary.failed + summary.timed_out;
    return {summary.succeeded + failures, failures, summary.best ? summary.best->objective : std::nullopt};
  }
  double spent() const override {
    return patiently([&] { return study_.spent(); });
  }
  Phase phase() const override {
    return patiently([&] { return study_.summary().phase; });
  }
  StopReason stop_reason() const override {
    return patiently([&] { return study_.stop_reason(); });
  }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings = patiently([&] { return study_.warnings(); });
    if (was_busy_)
      warnings.emplace_back(
          "another process held the study for longer than busy_wait: what was to be stored waited for it");
    return warnings;
  }

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

  /// Calls until no other process is in the way, or the run is told to stop (StudyBusy).
  template <class Call>
  std::invoke_result_t<const Call&> patiently(const Call& call) const {
    while (true) {
      try {
        return call();
      } catch (const StudyBusy&) {
        was_busy_ = true;
        if (stop_.stop_requested()) throw;
      }
      std::this_thread::sleep_for(retry_pause);
    }
  }

  /// Suggestions, or none where another process is in the way.
  template <class Ask>
  std::vector<Suggestion> asked(const Ask& ask) {
    kept_waiting_ = false;
    std::vector<Suggestion> suggestions;
    try {
      suggestions = ask();
    } catch (const StudyPaused&) {
      kept_waiting_ = true;
    } catch (const StudyBusy&) {
      kept_waiting_ = was_busy_ = true;
    }
    std::set<std::uint64_t> ids;
    for (const Suggestion& one : suggestions) ids.insert(one.id);
    study_.state_->held.merge(ids);
    return suggestions;
  }

  /// Makes a call that may come too late, or not now; false where another process is in the way.
  template <class Call>
  bool recorded(const Call& call) {
    try {
      call();
    } catch (const UnknownSuggestion&) {
    } catch (const StudyBusy&) {
      was_busy_ = true;
      return false;
    }
    return true;
  }

  template <class Call>
  const Observation& ended(std::uint64_t id, const Call& call) {
    study_.state_->held.erase(id);
    const auto stored = [&] { return patiently([&] { return study_.trial(id); }); };
    try {
      patiently(call);
    } catch (const UnknownSuggestion&) {
      if (!stored()) throw;  // otherwise another was faster, or took it back
    }
    const Trial trial = *stored();
    last_ = internal::observation_of(trial);
    if (trial.state == TrialState::withdrawn) last_.cost = 0;
    return last_;
  }

  std::vector<Observation> observations() const {
    std::vector<Trial> trials = patiently([&] { return study_.trials(); });
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
  std::stop_token stop_;
  bool kept_waiting_ = false;      ///< by another process, at the last `ask` or `prepare`
  mutable bool was_busy_ = false;  ///< another process was in the way at any time
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
    internal::StudySuggester suggester(study, notes, hooks.stop);
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
