#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <carbo/study.hpp>

#include "engine/run_totals.hpp"
#include "study/database.hpp"
#include "study/host.hpp"
#include "study/trial_rows.hpp"

namespace carbo {

/// Everything behind a Study. What is suggested follows from the file alone: the optimizer's state is written with
/// every `ask`, and results are rows with a place among the study's events. An optimizer in memory is one that was
/// restored from that state, with the events since.
class Study::State {
 public:
  static std::unique_ptr<State> created_or_continued(const std::filesystem::path& file, const std::string& name,
                                                     const Space& space, const Options& options,
                                                     const StudyOptions& how);
  static std::unique_ptr<State> continued(const std::filesystem::path& file, const std::string& name,
                                          const StudyOptions& how);

  std::vector<Suggestion> ask(std::size_t count, TrialState state);
  void begin(std::uint64_t id, const std::string& worker);
  void tell(std::uint64_t id, const Evaluation& evaluation, const TrialNotes& notes);
  void tell(const Observation& observation, const TrialNotes& notes);
  void fail(std::uint64_t id, double cost, std::string reason, bool timed_out, const TrialNotes& notes);
  void withdraw(std::uint64_t id);
  std::uint64_t adopt(const Configuration& configuration);
  void enqueue(const Configuration& configuration);
  std::vector<Configuration> enqueued();
  bool dequeue(const Configuration& configuration);
  void renew(std::span<const std::uint64_t> ids);
  void release(std::span<const std::uint64_t> ids);
  /// Takes up space and options that another process has changed. Throws StorageError where the study was removed.
  void refresh();
  /// Ends the leases of what an owner with a name held before; what a process holds is lost with it.
  void release_own();
  void report(std::uint64_t id, const Report& report);
  bool claim();
  void unclaim() noexcept;

  // control.cpp
  void pause();
  void resume();
  /// Since when; absent where it is not paused.
  std::optional<double> paused();
  void change_limits(const StudyLimits& limits);
  /// Of space and options: another number where they are others.
  std::int64_t definition() const { return definition_; }

  /// `question` of an optimizer that is up to date; it may learn.
  template <class Question>
  auto answer(const Question& question) {
    Optimizer& optimizer = up_to_date(false);
    disturbed_ = true;
    return question(optimizer);
  }
  std::string save() { return up_to_date(true).save(); }
  std::vector<std::string> warnings() { return up_to_date(false).warnings(); }

  StudySummary summary();
  std::vector<Trial> trials() { return read(internal::Trials::all); }
  std::vector<Trial> pending_trials() { return read(internal::Trials::pending); }
  std::optional<Trial> trial(std::uint64_t id);
  std::vector<Report> reports(std::uint64_t id);
  std::optional<Receipt> receipt(std::uint64_t id);
  std::vector<Suggestion> pending_suggestions();
  void set_attribute(const std::string& key, const std::string& value);
  std::optional<std::string> attribute(const std::string& key);

  const Space& space() const { return space_; }
  const Options& options() const { return options_; }
  const std::string& name() const { return name_; }
  const std::filesystem::path& file() const { return database_->file(); }
  const std::string& owner() const { return owner_; }
  double renewal_seconds() const { return lease_seconds() / 3; }

  internal::Database& database() { return *database_; }
  /// The next call that needs an optimizer restores it.
  void forget_optimizer() { optimizer_.reset(); }

  std::atomic<bool> busy = false;  ///< a call is under way
  /// What a loop on this object runs: `ask` renews its leases, and neither hands it out nor charges it, whoever has
  /// it by now.
  std::set<std::uint64_t> held;

 private:
  State(std::unique_ptr<internal::Database> database, std::int64_t study, std::int64_t definition, std::string name,
        Space space, Options options, const StudyOptions& how, RestoreOptions code);

  double now() const { return how_.clock ? how_.clock() : internal::machine_clock(); }
  double lease_seconds() const { return std::chrono::duration<double>(how_.lease).count(); }
  internal::LockFile& locks();
  internal::HeldByte asking_alone();
  Configuration own(const Configuration& configuration) const;
  void check_in_pool(const Configuration& configuration) const;
  void check_code() const;

  // replay.cpp
  /// The optimizer with all that is in the file. `for_ask`: one that no question has taught.
  Optimizer& up_to_date(bool for_ask);
  struct Snapshot;
  Snapshot read_snapshot(bool for_ask);
  void read_everything(Snapshot& snapshot);
  void load(const Snapshot& snapshot);
  void rebuild(const Snapshot& snapshot);
  void replay(const std::string& kind, const Trial* trial, const std::string& configuration);

  // ask.cpp
  void check_not_paused();
  std::vector<Suggestion> hand_out_lost(std::size_t count);
  std::vector<internal::TrialRow> lost_trials();
  void renew_held(double time);
  void charge_lost();
  std::vector<Suggestion> suggest(std::size_t count, TrialState state);
  /// False where the study is another since the optimizer was up to date; nothing is stored then.
  bool store_suggestions(const std::vector<Suggestion>& suggestions, TrialState state, const std::string& text);
  void insert_suggestions(const std::vector<Suggestion>& suggestions, TrialState state, double time);
  /// The first that was enqueued so; false where there is none.
  bool take_from_queue(const std::string& configuration);
  Suggestion stored_suggestion(const internal::TrialRow& row);

  // read.cpp
  std::vector<Trial> read(internal::Trials which, std::uint64_t value = 0);

  // points.cpp
  /// False where it is not pending any more, or another's.
  bool renew_one(std::uint64_t id, double time);

  // tell.cpp
  internal::TrialRow pending_trial(std::uint64_t id);
  void store_result(const internal::TrialRow& row, const TrialNotes& notes);
  void resolve(internal::TrialRow row, const TrialNotes& notes);
  double spent_after(const internal::TrialRow& row);
  std::uint64_t add_event(const char* kind, std::optional<std::int64_t> trial, double time,
                          const std::optional<std::string>& configuration = std::nullopt);

  std::unique_ptr<internal::Database> database_;
  std::int64_t study_;
  std::int64_t definition_;  ///< version of space and options
  std::string name_;
  Space space_;
  Options options_;
  StudyOptions how_;
  RestoreOptions code_;
  std::vector<std::string> missing_code_;  ///< in words
  std::string owner_;
  std::string process_;  ///< empty where the owner was named
  std::unique_ptr<internal::LockFile> locks_;
  bool claimed_ = false;

  std::optional<Optimizer> optimizer_;
  bool disturbed_ = false;      ///< the optimizer learned something outside an `ask`
  std::int64_t asks_ = 0;       ///< of the file, when the optimizer was up to date
  std::uint64_t sequence_ = 0;  ///< events that the optimizer knows
  std::uint64_t batches_ = 0;   ///< the number that its next batch has
  bool rebuilt_ = false;        ///< the optimizer was made anew, and is not stored yet
  std::size_t state_hash_ = 0;  ///< of the state that was stored last
  /// Pending points of an optimizer that was made anew, and the batches that they are in.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> adopted_again_;
};

}  // namespace carbo
