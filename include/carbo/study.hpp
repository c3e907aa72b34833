#pragma once

#include <carbo/language.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/minimize.hpp>
#include <carbo/optimizer.hpp>
#include <carbo/restore.hpp>

namespace carbo {

namespace internal {
class StudySuggester;
}

/// The study is paused (Study::pause): nothing is suggested until somebody resumes it. Nothing was written; the call
/// can be made again.
class StudyPaused : public StudyBusy {
  using StudyBusy::StudyBusy;
};

/// When a transaction counts as written.
enum class Durability {
  full,    ///< on the disk before the call returns: survives a power cut
  normal,  ///< survives the death of every process, a power cut may take the last calls back
};

/// What the next `ask` does with a pending point whose lease has ended.
enum class LostPoint {
  hand_out,  ///< suggests it again under its id, to whoever asks
  charge,    ///< records it as failed, at its predicted cost
};

struct StudyOptions {
  Durability durability = Durability::full;
  /// Of what is asked for here, in words. Empty: this process, and what it holds is free as soon as it is dead.
  /// Otherwise leases alone count, so that whoever is named may outlive the process that asked.
  std::string owner{};
  std::chrono::milliseconds lease{60000};  ///< of a pending point, from when it was asked for or renewed
  LostPoint lost = LostPoint::hand_out;
  std::chrono::milliseconds busy_wait{10000};  ///< for another process's transaction or `ask`, then StudyBusy
  /// Seconds since 1970, for leases and stored times; none: the machine's clock.
  std::function<double()> clock{};
  /// Whether the file is on a network file system, where the write-ahead log does not work: a rollback journal then.
  /// Absent: the kernel is asked.
  std::optional<bool> network{};
  /// Budget and max_evaluations of a study that is there stay as they are, whatever the options say: those that
  /// `change_limits` set, say.
  bool keep_limits = false;
  /// Code that a file cannot hold (constraints, functions, large pools), where space and options are not given.
  RestoreOptions given{};
};

enum class TrialState {
  waiting,  ///< suggested ahead of time (`prepare`), and not begun
  running,  ///< suggested or adopted, and no result yet
  succeeded,
  failed,
  timed_out,
  withdrawn,
};

/// One row of a study: a point from when it was suggested, adopted or told.
struct Trial {
  std::uint64_t number = 0;         ///< in the order of the file, from 0
  std::optional<std::uint64_t> id;  ///< of the suggestion; absent where the point was told
  TrialState state = TrialState::running;
  Origin origin = Origin::this_run;
  Configuration configuration;
  std::optional<double> objective, cost;
  std::string reason;                    ///< of a failure
  std::string owner;                     ///< who runs it, or ran it
  std::string worker;                    ///< of the owner, where `begin` named one
  std::optional<double> started, ended;  ///< seconds since 1970
  std::optional<double> lease_end;       ///< seconds since 1970, while it is pending
  bool lost = false;                     ///< pending, but its lease has ended or its process is dead
  std::size_t handed_out = 0;            ///< how often, 0 where it was told
  std::optional<std::uint64_t> batch;
  std::optional<std::size_t> slot;
  std::optional<Phase> phase;
  std::optional<std::uint64_t> sequence;  ///< of its result: ascending in the order in which results were told
  std::map<std::string, double> metrics;  ///< further numbers that were told with it
};

/// An intermediate value of a running evaluation; stored, and stops nothing.
struct Report {
  double step = 0;
  std::optional<double> time{};  ///< seconds since 1970; absent: now
  std::map<std::string, double> values{};
};

/// What is told beside objective and cost.
struct TrialNotes {
  std::map<std::string, double> metrics{};
  std::optional<double> started{}, ended{};  ///< seconds since 1970; absent: when it was asked for or begun, and now
};

/// What ends a study; what is absent stays as it is.
struct StudyLimits {
  std::optional<double> budget{};
  std::optional<std::size_t> max_evaluations{};
};

struct StudySummary {
  std::string name;
  double created = 0, changed = 0;  ///< seconds since 1970
  double budget = 0, spent = 0;
  std::string cost_unit;
  Goal goal = Goal::minimize;
  StopReason stop_reason = StopReason::running;
  Phase phase = Phase::warm_start;  ///< as of the last `ask`
  /// Of this run, by state; `prior` are the results of others, `enqueued` the points that `ask` is to suggest next.
  std::size_t succeeded = 0, failed = 0, timed_out = 0, running = 0, waiting = 0, withdrawn = 0;
  std::size_t prior = 0, enqueued = 0;
  std::optional<double> paused;  ///< since when, in seconds since 1970; absent where it is not
  std::optional<Trial> best;     ///< of all successes, prior ones included
};

/// An optimizer on an SQLite file. Every call that changes something is one transaction, on disk before it returns;
/// several processes may hold one study. Reading does not make an optimizer; asking and questions to the models do.
/// One thread at a time, as Optimizer. A call that throws changes nothing and can be made again.
class Study {
 public:
  /// Creates the study, or goes on with it where the file has one of that name. Space and options must then be those
  /// of the study but for budget, max_evaluations, target, batch_size, backend, wider bounds and added categories,
  /// levels and values; where batch_size or the space differ, models are fitted anew. Throws IncompatibleStudy with
  /// the difference, StorageError where the file cannot be used, and what Optimizer's constructor throws.
  static Study open(const std::filesystem::path& file, const std::string& name, const Space& space,
                    const Options& options, const StudyOptions& how = {});
  /// Goes on with a study that is there; the only one of the file where `name` is empty. Throws UnknownStudy. A file
  /// that is read-only can be read; code that is missing is asked for by the first call that needs it (InvalidState).
  static Study open(const std::filesystem::path& file, const std::string& name = {}, const StudyOptions& how = {});
  /// By name.
  static std::vector<StudySummary> list(const std::filesystem::path& file);
  /// With everything that belongs to it. Throws UnknownStudy.
  static void remove(const std::filesystem::path& file, const std::string& name);

  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;

  // As Optimizer has them. What other processes asked for and told counts; `ask` waits for another one's.

  /// Points whose lease has ended come first, and then by themselves: a call suggests them again or makes new ones,
  /// never both.
  std::vector<Suggestion> ask(std::size_t count);
  std::vector<Suggestion> ask();  ///< for `batch_size`
  /// As `ask`, ahead of time: they are waiting until `begin`. Nothing is handed out again.
  std::vector<Suggestion> prepare(std::size_t count);
  /// Says that a pending point runs from now on, and on which worker; for the record.
  void begin(std::uint64_t id, const std::string& worker = {});
  /// By whoever has the result, the first counts.
  void tell(std::uint64_t id, const Evaluation& evaluation, const TrialNotes& notes = {});
  void tell(const Observation& observation, const TrialNotes& notes = {});
  void tell_prior(const Configuration& configuration, double objective);
  void fail(std::uint64_t id, double cost, std::string reason, bool timed_out = false, const TrialNotes& notes = {});
  void withdraw(std::uint64_t id);
  std::uint64_t adopt(const Configuration& configuration);
  void enqueue(const Configuration& configuration);
  std::vector<Configuration> enqueued() const;
  bool dequeue(const Configuration& configuration);

  /// Lengthens the leases of pending points that this owner holds. Throws UnknownSuggestion naming those that are not
  /// pending, or another's by now; the others are renewed.
  void renew(std::span<const std::uint64_t> ids);
  /// Ends the leases of pending points, whoever holds them: the next `ask` hands them out (or charges them). Throws
  /// UnknownSuggestion naming one that is not pending; nothing is released then.
  void release(std::span<const std::uint64_t> ids);
  /// An intermediate value of a pending point.
  void report(std::uint64_t id, const Report& report);
  /// Makes this object the one that runs the study, until `unclaim`, its end or the death of the process; false where
  /// another is. Nothing else asks for it: it is for programs of which one at a time is to run.
  bool claim();
  void unclaim();

  /// From when this returns until `resume`, nothing is suggested or handed out to anybody: `ask` and `prepare` throw
  /// StudyPaused. What runs is told as ever. It outlives every process; to pause what is paused changes nothing.
  void pause();
  void resume();
  /// Changes what ends the study, for whoever runs it: from the next `ask` on, with all that the models have learned.
  /// Throws InvalidOptions as Optimizer's constructor does.
  void change_limits(const StudyLimits& limits);

  // Questions to the models: see Optimizer. They do not change what is suggested later.

  std::vector<Prediction> predict(std::span<const Configuration> configurations, double coverage = 0.95);
  std::optional<Recommendation> recommend();
  std::optional<Importance> importance(Modelled model = Modelled::objective, const ImportanceOptions& options = {});
  FittedModels hyperparameters();
  std::vector<RankedCandidate> rank(std::size_t count);
  /// The optimizer's state as of now, with everything that was told; see Optimizer::save.
  std::string save();
  std::vector<std::string> warnings();

  // What is stored, that of other processes included.

  StudySummary summary() const;
  std::vector<Trial> trials() const;
  /// Those without a result, whoever holds them.
  std::vector<Trial> pending_trials() const;
  std::optional<Trial> trial(std::uint64_t id) const;
  std::vector<Report> reports(std::uint64_t id) const;
  std::optional<Receipt> receipt(std::uint64_t id) const;
  /// Oldest first, whoever holds them; adopted ones without a receipt.
  std::vector<Suggestion> pending_suggestions() const;
  std::optional<Trial> best() const;
  /// Of the budget; with wall-clock accounting as of the last `ask`.
  double spent() const;
  StopReason stop_reason() const;
  bool done() const { return stop_reason() != StopReason::running; }
  const Space& space() const;
  const Options& options() const;
  const std::string& name() const;
  const std::filesystem::path& file() const;
  const std::string& owner() const;
  /// A text of the caller's kept with the study (a study file, notes), by key. Those that begin with `carbo.` are the
  /// library's own.
  void set_attribute(const std::string& key, const std::string& value);
  std::optional<std::string> attribute(const std::string& key) const;

  /// Makes the calls on this object that `changes` makes one transaction: all of them are written when it returns, or
  /// none where it throws, and nobody else writes meanwhile, so that what it reads holds until then. `ask`,
  /// `prepare`, `adopt` and `dequeue`, which wait for others, are refused there (InvalidOptions).
  void at_once(const std::function<void()>& changes);

 private:
  friend class internal::StudySuggester;
  class State;
  explicit Study(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The closed loop on a durable study: everything is stored as it happens, and leases are renewed while evaluations
/// run. What was pending under the name of this owner (StudyOptions::owner), or of a dead process, is evaluated
/// first. While the study is paused nothing is begun: what runs ends, and the loop waits. A result that another
/// process has told first counts instead of this one's. Hooks::prior must be empty: tell prior data to the study.
Result minimize(Study& study, const CancellableObjective& objective, const Hooks& hooks = {});
/// How a run of a study is watched and stopped.
struct StudyHooks : Hooks {
  /// What is told with a result, by its id; called from the thread that called `minimize`.
  std::function<TrialNotes(std::uint64_t id)> notes{};
};
Result minimize(Study& study, const CancellableObjective& objective, const StudyHooks& hooks);
Result minimize(Study& study, const Objective& objective, const Hooks& hooks = {});

constexpr const char* to_string(TrialState state) {
  switch (state) {
    case TrialState::waiting:
      return "waiting";
    case TrialState::running:
      return "running";
    case TrialState::succeeded:
      return "succeeded";
    case TrialState::failed:
      return "failed";
    case TrialState::timed_out:
      return "timed_out";
    case TrialState::withdrawn:
      return "withdrawn";
  }
  return "unknown";
}

constexpr const char* to_string(Durability durability) {
  switch (durability) {
    case Durability::full:
      return "full";
    case Durability::normal:
      return "normal";
  }
  return "unknown";
}

constexpr const char* to_string(LostPoint lost) {
  switch (lost) {
    case LostPoint::hand_out:
      return "hand_out";
    case LostPoint::charge:
      return "charge";
  }
  return "unknown";
}

}  // namespace carbo
