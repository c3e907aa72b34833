#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/optimizer.hpp>

#include "acquisition/fantasy_ensemble.hpp"
#include "backend/backend.hpp"
#include "design/initial_design.hpp"
#include "engine/candidate_store.hpp"
#include "engine/history.hpp"
#include "engine/ledger.hpp"
#include "engine/round.hpp"
#include "models/model_pair.hpp"
#include "support/tree_reader.hpp"

namespace carbo {

/// Everything behind an Optimizer. Lives on the heap and never moves: its parts refer to one another.
class Optimizer::State {
 public:
  State(Space space, Options options);
  static std::unique_ptr<State> restored(std::string_view text, const RestoreOptions& given);
  std::string save() const;

  std::vector<Suggestion> ask(std::size_t count);
  std::vector<RankedCandidate> rank(std::size_t count);
  MemoryPlan memory_plan() const;
  std::uint64_t adopt(const Configuration& configuration);
  void enqueue(const Configuration& configuration);
  std::vector<Configuration> enqueued() const;
  bool dequeue(const Configuration& configuration);
  std::vector<Prediction> predict(std::span<const Configuration> configurations, double coverage);
  std::optional<Recommendation> recommend();
  std::optional<Importance> importance(Modelled model, const ImportanceOptions& options);
  FittedModels hyperparameters();
  void tell(std::uint64_t id, const Evaluation& evaluation);
  void tell(const Configuration& configuration, const Evaluation& evaluation, Origin origin);
  void tell_prior(const Configuration& configuration, double objective);
  void tell(Observation observation);
  void fail(std::uint64_t id, double cost, std::string reason, bool timed_out);
  void fail(const Configuration& configuration, double cost, std::string reason, bool timed_out, Origin origin);
  void withdraw(std::uint64_t id);

  const internal::History& history() const { return history_; }
  std::vector<Suggestion> pending_suggestions() const;
  std::vector<Observation> take_observations() noexcept { return history_.take_observations(); }
  /// Null before the first success.
  const Observation* best() const { return internal::best_of(history_.observations(), options_.goal); }
  double spent() const { return ledger_.spent(); }
  Phase phase() const;
  StopReason stop_reason() const;
  std::vector<std::string> warnings() const;
  const Space& space() const { return space_; }
  const Options& options() const { return options_; }

  std::atomic<bool> busy = false;  ///< a call is under way

 private:
  /// Of a study that began elsewhere: candidates are made when they are asked for.
  struct Begun {};
  State(Space space, Options options, Begun begun);
  void restore(const internal::TreeReader& reader, const RestoreOptions& given);
  void restore_history(const internal::TreeReader& reader);
  void restore_queued(const internal::TreeReader& reader, std::size_t pool_size);
  void restore_clock(const internal::TreeReader& reader, const RestoreOptions& given);
  void restore_run(const internal::TreeReader& reader);
  internal::Tree run_tree() const;
  internal::Tree history_tree() const;
  /// What differs from where the state was saved, and decides the last bits.
  void compare_machine(const internal::TreeReader& reader);

  /// What decides the acquisition's parameter in the search after one; see kernels::RunState.
  struct SearchEnd {
    double parameter = 0;
    double score = 0;  ///< of its first pick
    double incumbent = 0;
  };

  /// One `ask` in progress; becomes part of the history only when it is complete.
  struct Batch {
    internal::Round round;
    double spent = 0;
    double committed = 0;
    double used = 0;                ///< see InitialDesignPlan::used
    double predicted = 0;           ///< sum of the predicted costs of `suggestions`, where they are needed
    std::size_t points_served = 0;  ///< of the caller's design, those passed over included
    std::map<std::uint64_t, double> pending_costs;  ///< predicted, of what runs
    bool design_over = false;
    std::optional<DesignEnd> design_end;    ///< why, where this batch ended it
    std::optional<double> design_gain;      ///< see internal::design_gain; of its first point that was raced for
    bool strict_refused = false;            ///< something was passed over because it is not predicted to finish
    bool queue_refused = false;             ///< the same of what is enqueued
    std::vector<std::size_t> from_queue{};  ///< places in the queue of what is suggested from it, ascending
    bool not_worth = false;                 ///< StoppingOptions say stop
    std::optional<SearchEnd> search;        ///< where something was picked by its score
    std::vector<Suggestion> suggestions;
    std::vector<std::vector<double>> encoded;
    StageSeconds seconds;

    void end_design(DesignEnd why) {
      design_over = true;
      design_end = why;
    }
    /// Why it has no suggestion.
    StopReason blocked_by() const {
      if (not_worth) return StopReason::price;
      return strict_refused || queue_refused ? StopReason::strict_budget : StopReason::exhausted;
    }
  };

  /// Suggestions that one `ask` may make by what is known.
  std::size_t most_together() const;
  /// What is known and spent as an `ask` begins, models up to date.
  Batch open_batch(const internal::Round::Size& size);
  Batch assemble(const internal::Round::Size& size);
  void commit(Batch& batch);
  /// The part of it that cannot fail.
  void settle(Batch& batch, internal::History::Suggestions&& pending) noexcept;
  internal::DesignState design_state(const Batch& batch) const;
  void serve_queue(Batch& batch);
  void serve_initial_design(Batch& batch);
  void serve_points(Batch& batch);
  void serve_uniform(Batch& batch, std::size_t count, Phase phase);
  void serve_uniform_rows(Batch& batch, std::size_t count, Phase phase);
  void serve_design(Batch& batch);
  /// Whether the winner of a race would teach enough; ends the design where it would not.
  bool worth_racing(Batch& batch, std::size_t row);
  void serve_search(Batch& batch);
  /// No candidate can be picked although some are left: nothing else fits into the round, `strict` forbids them, or
  /// else an error.
  void refuse(Batch& batch) const;

  /// Everything evaluated, running or just picked.
  std::vector<internal::KnownPoint> known_points(const Batch& batch) const;
  internal::LocalCentres best_points() const;
  bool needs_models() const;
  /// Everything told so far.
  void update_models();
  /// The same outside an `ask`.
  void learn_all();
  std::vector<std::optional<std::size_t>> pool_rows_of(std::span<const Configuration> configurations) const;
  std::vector<Prediction> predictions(std::span<const Configuration> configurations, double coverage) const;
  std::shared_ptr<const internal::Field> log_cost_field(Batch& batch, internal::FieldUse use);
  /// Of the search that comes next, in the caller's units.
  double acquisition_parameter(const Batch& batch) const;
  kernels::AcquisitionSpec acquisition(double parameter) const;
  /// `batch`: suggestions that the next `ask` may make.
  MemoryRequest memory_request(std::size_t batch) const;
  MemoryPlan working_plan(std::size_t batch) const;
  /// Candidates, models and the backend's work as planned.
  void follow(const MemoryPlan& plan);
  /// Whether both models can score candidates, and scores are wanted.
  bool can_search() const;
  void prepare_search(Batch& batch, std::uint64_t round);
  void begin_search(Batch& batch, internal::FantasyEnsemble& ensemble, const internal::Field& log_cost);
  void begin_streamed_search(Batch& batch, internal::FantasyEnsemble& ensemble,
                             const internal::CandidateStream& stream, const internal::KnownPoints& taken);
  void serve_streamed_search(Batch& batch);
  /// `sample`: what samples of the minimum come from, where the acquisition looks at them.
  internal::FantasyEnsemble make_ensemble(Batch& batch, const internal::ExtremeSample& sample);
  std::size_t columns() const { return space_.encoded_columns(); }
  /// Fills the batch from the ensemble's search. `take(picked, receipt)` takes the row and adds it to the batch.
  template <class Take>
  void pick(Batch& batch, internal::FantasyEnsemble& ensemble, std::uint64_t candidates, const Take& take);
  /// What StoppingOptions come to; see Receipt.
  struct WorthCheck {
    std::optional<double> break_even_price;
    std::optional<bool> stop;
  };
  /// What the rule looks for.
  kernels::AcquisitionSpec worth_rule() const;
  /// `best`: of all candidates by that; `parameter`: of the acquisition.
  WorthCheck check_worth(const internal::Scored& best, double parameter) const;
  /// Configurations that may not be suggested again.
  internal::KnownPoints untouchable(const Batch& batch) const;
  std::optional<std::size_t> pool_row(std::uint64_t row) const;
  void fantasise_running(internal::FantasyEnsemble& ensemble, const Batch& batch);
  /// `log_cost` is given where `strict` limits the choice.
  std::optional<std::size_t> uniform_row(const Batch& batch, const internal::Field* log_cost);
  std::optional<Configuration> uniform_configuration(const Batch& batch, const internal::KnownPoints& known);
  bool is_known(const Batch& batch, std::span<const double> numbers) const;
  /// False where `strict` forbids the configuration because it is not predicted to finish.
  bool affordable(const Batch& batch, const Configuration& configuration, std::optional<std::size_t> pool_row) const;
  /// Whether picks that begin together count what their round lasts; see PickCost.
  bool counts_rounds() const;
  /// Of what was picked so far, the log of the longest predicted cost; −∞ where there is nothing.
  double log_length(const Batch& batch) const;
  std::vector<internal::LogCost> predicted_costs(const Batch& batch) const;
  /// Log of the highest cost with which something is predicted to finish inside a `strict` budget.
  double strict_log_limit(const Batch& batch) const;
  /// The same for the next pick of the race or the search, which must fit into the round as well.
  double log_cost_limit(const Batch& batch, Phase phase) const;
  void add(Batch& batch, Configuration configuration, Receipt receipt, std::optional<std::size_t> pool_index);
  void add_row(Batch& batch, std::size_t row, Receipt receipt);
  /// Timeouts, and what both models predict of the suggestions, into their receipts: one call a model for the whole
  /// batch.
  void predict(Batch& batch) const;
  void predict_costs(Batch& batch) const;
  void predict_objectives(Batch& batch) const;
  std::optional<double> timeout_of(double predicted_cost) const;

  std::map<std::uint64_t, double> predicted_pending_costs() const;
  /// Evaluated or running, with a cost that is known or will be.
  std::size_t points_known() const {
    return history_.observations().size() - history_.without_cost() + history_.pending().size();
  }
  void check_points_in_pool() const;
  /// Its row of the caller's pool; absent where there is none. Throws InvalidConfiguration where it is not in the
  /// pool.
  std::optional<std::size_t> row_in_pool(const Configuration& configuration) const;
  /// The same configuration as one of this space; throws InvalidConfiguration where it is not.
  Configuration own(const Configuration& configuration) const;
  void resolve(std::uint64_t id, internal::EvaluationResult&& result) noexcept;
  void record(Observation observation);
  /// The batch that is being told, as it stood when it began.
  struct ToldBatch {
    std::optional<std::uint64_t> number;
    double used = 0;
    std::size_t owed = 0;     ///< points of the design that were still to be suggested
    bool searchable = false;  ///< something had succeeded
    bool design_over = false;
    std::size_t told = 0;
  };
  /// The batch that an observation of this run belongs to, which was not suggested.
  ToldBatch told_batch_of(const Observation& told) const;
  /// Ends the design where the run of an observation ended it: with the first batch of which one belongs to the
  /// search, or, where nothing is said of its phase, with the first that begins with the design's share behind or is
  /// larger than what the design still owed.
  void follow_design(const ToldBatch& batch, std::optional<Phase> phase) noexcept;
  /// Those of the caller's points that were told as this run's own are not owed any more.
  void pass_told_points(const Observation& told) noexcept;

  Space space_;
  bool accounting_automatic_;  ///< as the caller gave it
  Options options_;
  internal::BackendChoice backend_choice_;
  std::unique_ptr<internal::Backend> backend_;
  internal::History history_;
  internal::Ledger ledger_;
  internal::InitialDesignPlan plan_;
  internal::ModelPair models_;
  internal::CandidateStore store_;
  std::optional<StopReason> blocked_;    ///< why the last `ask` found nothing; cleared by every new fact
  std::optional<ToldBatch> told_batch_;  ///< the last one
  std::optional<SearchEnd> last_search_;
  /// What the caller wants suggested next.
  struct QueuedPoint {
    Configuration configuration;
    std::optional<std::size_t> pool_row{};
  };
  std::vector<QueuedPoint> queue_;  ///< first come first
  std::uint64_t next_id_ = 0;
  std::uint64_t draws_ = 0;   ///< uniform draws used so far
  std::uint64_t rounds_ = 0;  ///< searches so far, for renewed candidates
  std::vector<std::string> restore_warnings_;
  mutable std::optional<std::uint64_t> pool_hash_;  ///< of the caller's pool, once it was computed
};

}  // namespace carbo
