#pragma once

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
#include <string_view>
#include <vector>

#include <carbo/minimize.hpp>
#include <carbo/optimizer.hpp>
#include <carbo/restore.hpp>

namespace carbo {

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
  std::string owner;                       ///< of what this process asks for; empty: host and process id
  std::chrono::milliseconds lease{60000};  ///< of a pending point, from when it was asked for or renewed
  LostPoint lost = LostPoint::hand_out;
  std::chrono::milliseconds busy_wait{10000};  ///< for another process's transaction or `ask`, then StudyBusy
  /// Seconds since 1970, for leases and stored times; none: the machine's clock.
  std::function<double()> clock{};
  RestoreOptions given{};  ///< code that a file cannot hold: constraints, functions, large pools
};

enum class TrialState { waiting, running, succeeded, failed, timed_out, withdrawn };

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
  std::optional<double> started, ended;  ///< seconds since 1970
  std::optional<double> lease_end;       ///< seconds since 1970, while it runs
  std::optional<std::uint64_t> batch;
  std::optional<std::size_t> slot;
  std::optional<Phase> phase;
  std::map<std::string, double> metrics;  ///< further numbers that were told with it
};

/// An intermediate value of a running evaluation; stored, and stops nothing.
struct Report {
  double step = 0;
  double time = 0;  ///< seconds since 1970
  std::map<std::string, double> values;
};

/// What is told beside objective and cost.
struct TrialNotes {
  std::map<std::string, double> metrics{};
  std::optional<double> started{}, ended{};  ///< seconds since 1970; absent: when it was asked for, and now
};

struct StudySummary {
  std::string name;
  double created = 0, changed = 0;  ///< seconds since 1970
  double budget = 0, spent = 0;
  std::string cost_unit;
  Goal goal = Goal::minimize;
  StopReason stop_reason = StopReason::running;
  Phase phase = Phase::warm_start;
  std::size_t succeeded = 0, failed = 0, timed_out = 0, running = 0, waiting = 0, prior = 0;
  std::optional<Trial> best;
};

/// An optimizer on an SQLite file. Every call that changes something is one transaction, on disk before it returns;
/// several processes may hold one study. Reading does not make an optimizer; asking and questions to the models do.
/// One thread at a time, as Optimizer.
class Study {
 public:
  /// Creates the study, or goes on with it where the file has one of that name. Space and options must then be those
  /// of the study but for: budget, max_evaluations, target, batch_size, backend, wider bounds and added categories.
  /// Throws IncompatibleStudy with the difference, StorageError where the file cannot be used.
  static Study open(const std::filesystem::path& file, const std::string& name, const Space& space,
                    const Options& options, const StudyOptions& how = {});
  /// Goes on with a study that is there; the only one of the file where `name` is empty. Throws UnknownStudy.
  static Study open(const std::filesystem::path& file, const std::string& name = {}, const StudyOptions& how = {});
  static std::vector<StudySummary> list(const std::filesystem::path& file);
  static void remove(const std::filesystem::path& file, const std::string& name);

  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;

  // As Optimizer has them. What other processes asked for and told counts; `ask` waits for another one's.
  std::vector<Suggestion> ask(std::size_t count);
  std::vector<Suggestion> ask();
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
  /// pending, or another's by now.
  void renew(std::span<const std::uint64_t> ids);
  /// Takes pending points of a dead owner over: their leases end now.
  void release(std::span<const std::uint64_t> ids);
  /// An intermediate value of a pending point.
  void report(std::uint64_t id, const Report& report);

  std::vector<Prediction> predict(std::span<const Configuration> configurations, double coverage = 0.95);
  std::optional<Recommendation> recommend();
  std::optional<Importance> importance(Modelled model = Modelled::objective, const ImportanceOptions& options = {});
  FittedModels hyperparameters();
  std::vector<RankedCandidate> rank(std::size_t count);
  /// The optimizer's state as of now, with everything that was told; see Optimizer::save.
  std::string save();

  StudySummary summary() const;
  std::vector<Trial> trials() const;
  std::optional<Trial> trial(std::uint64_t id) const;
  std::vector<Report> reports(std::uint64_t id) const;
  std::optional<Receipt> receipt(std::uint64_t id) const;
  std::vector<Suggestion> pending_suggestions() const;
  std::optional<Trial> best() const;
  double spent() const;
  StopReason stop_reason() const;
  bool done() const { return stop_reason() != StopReason::running; }
  std::vector<std::string> warnings() const;
  const Space& space() const;
  const Options& options() const;
  const std::string& name() const;
  const std::filesystem::path& file() const;
  /// A text of the caller's kept with the study (a study file, notes), by key.
  void set_attribute(const std::string& key, const std::string& value);
  std::optional<std::string> attribute(const std::string& key) const;

 private:
  class State;
  explicit Study(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The closed loop on a durable study: what was pending is evaluated first, everything is stored as it happens.
Result minimize(Study& study, const CancellableObjective& objective, const Hooks& hooks = {});

}  // namespace carbo
