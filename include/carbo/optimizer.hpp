#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/knowledge.hpp>
#include <carbo/memory_plan.hpp>
#include <carbo/observation.hpp>
#include <carbo/options.hpp>
#include <carbo/restore.hpp>
#include <carbo/run_state.hpp>
#include <carbo/space.hpp>
#include <carbo/to_string.hpp>

namespace carbo {

struct StageSeconds {
  double candidates = 0;
  double fit = 0;
  double sweep = 0;  ///< cost over all candidates
  double pick = 0;   ///< posterior, bounds and scores
};

/// Why a suggestion was made.
struct Receipt {
  Phase phase = Phase::warm_start;
  bool enqueued = false;  ///< the caller's own wish; `phase` is where the run was
  std::string backend;
  std::string backend_reason;                   ///< why that backend runs, such as "cpu v3: no CUDA driver was found"
  std::optional<double> alpha;                  ///< cost exponent of the score (search by EI or MES over c^alpha)
  std::optional<double> acquisition_parameter;  ///< see Acquisition; alpha, where there is one (search)
  double spent = 0;                             ///< of the budget, when asked
  double committed = 0;                         ///< predicted cost of what was still running
  /// Share of the run that is behind, which ends the design and cools alpha: of the budget, spent or committed, or of
  /// `max_evaluations`, whichever is larger. Above 1 where the budget is passed.
  double progress = 0;
  std::optional<double> predicted_cost;  ///< median
  std::optional<double> predicted_log_cost_sd;
  std::optional<double> predicted_objective;     ///< posterior median, in the caller's units
  std::optional<double> predicted_objective_sd;  ///< in units of the standardised, transformed objective
  /// Ends of the central interval in which a result was expected with 95 %, its noise included; in the caller's
  /// units.
  std::optional<double> predicted_objective_lower, predicted_objective_upper;
  std::optional<double> log_score;  ///< of the acquisition, in standardised units: log EI-cool over fantasies
  std::optional<double> runner_up_log_score;
  /// Units of cost that a unit of the objective must be worth for the search to go on: the lowest c / EI over all
  /// candidates when the `ask` began (search). Absent where the transform does not tell, or picks only fill a round.
  std::optional<double> break_even_price;
  /// Whether the rule of StoppingOptions says stop. Without a price, under Acquisition::gittins alone: whether its
  /// rule does, with lambda as it stands (search).
  std::optional<bool> would_stop;
  /// Predicted length of the round, this suggestion included, as it stood when this was picked; see Batches and
  /// PickCost: the next pick of a fixed batch counts at least that. Absent where neither asks for it, and before
  /// costs can be predicted.
  std::optional<double> round_length;
  std::optional<double> fill;  ///< radius of the largest empty ball over the candidates (design)
  /// What the first design point of this `ask` would teach (see `design.least_gain`); in the search, what the one
  /// would have taught that was looked at last. Absent where none was looked at.
  std::optional<double> design_gain;
  std::optional<DesignEnd> design_end;  ///< why the design is over (search); absent where an earlier run ended it
  double objective_jitter = 0;          ///< relative to the mean diagonal; 0 where none was needed
  double cost_jitter = 0;
  std::optional<Calibration> objective_calibration;  ///< taken at the last fit, of up to 2,000 points
  std::optional<Calibration> cost_calibration;
  PointsLearned objective_points;
  PointsLearned cost_points;
  std::optional<Transform> transform;  ///< of the objective that was predicted; absent before there is one
  std::vector<TransformScore> transform_scores{};   ///< that it was chosen by (automatic), as of the last choice
  std::optional<CostModelKind> cost_model;          ///< that predicted; absent before it has learned something
  std::vector<CostModelScore> cost_model_scores{};  ///< that it was chosen by (automatic), as of the last fit
  std::size_t candidates = 0;                       ///< available when picked
  /// Candidates whose exact posterior this pick computed (all of them where it fell back to the dense pass), and
  /// those that it brought up to date with the batch so far, as shares of all (search). Bounds ruled out the others.
  std::optional<double> finished_share;
  std::optional<double> refreshed_share;
  /// Of the models' means over all candidates, the share that was looked at in low precision first (search); what
  /// could still be best was then computed in float64, so that it changes no pick.
  std::optional<double> low_precision_share;
  StageSeconds seconds;  ///< of the whole `ask` that made it
};

struct Suggestion {
  std::uint64_t id = 0;
  Configuration configuration;
  std::optional<std::size_t> pool_index;  ///< row of the caller's pool
  Receipt receipt;
  /// Cost at which to cut it off and report it with `fail(id, cost, reason, true)`; see EvaluationOptions.
  std::optional<double> timeout{};
  /// The worker that it is for: of a synchronous `ask(w)` one of w, counted from 0; asynchronously one of
  /// `batch_size`.
  std::size_t slot = 0;
  std::size_t order = 0;  ///< how many of the same `ask` that worker runs before it; 0 but for `fill` and `top_up`
};

/// A candidate and its score under the acquisition of the moment.
struct RankedCandidate {
  Configuration configuration;
  std::optional<std::size_t> pool_index;  ///< row of the caller's pool
  double log_score = 0;                   ///< of the acquisition, exact; see Receipt
};

/// Ask/tell optimiser. One thread at a time: a call while another one runs throws ConcurrentCall. A call that throws
/// changes nothing and can be made again; where the host's memory runs out it throws OutOfMemory. The result of a
/// suggestion can always be told: its memory is taken when it is suggested.
class Optimizer {
 public:
  /// Suggestions that may run at once. A batch of thousands takes minutes to choose, and its memory grows with the
  /// square.
  static constexpr std::size_t most_running = 4096;
  /// Suggestions that a round has at most for each of its workers; see Batches.
  static constexpr std::size_t most_per_worker = 4;

  /// Throws InvalidOptions or InvalidPool; throws InvalidSpace where no configuration satisfies the constraints.
  Optimizer(Space space, Options options);
  ~Optimizer();
  Optimizer(Optimizer&&) noexcept;
  Optimizer& operator=(Optimizer&&) noexcept;

  /// The whole study as text (JSON; docs/state.md): whoever restores it goes on where this one is.
  std::string save() const;
  /// The study whose state this is. No `ask` is replayed and nothing is fitted; with the same build, backend and
  /// level its next suggestions are those of the saved one, to the bit, and otherwise `warnings` say what differs.
  /// Throws InvalidState where the text is no state, is of a newer version, or names code that was not given again;
  /// BackendUnavailable where its backend cannot run here.
  static Optimizer restore(std::string_view state, const RestoreOptions& given = {});

  /// Up to `count` suggestions to evaluate in parallel, or up to four times as many for `count` workers (see
  /// Batches); fewer where fewer candidates are left or, where costs are summed, fewer are known; none once the run
  /// is over (`stop_reason()` then says why). Points asked for earlier and not yet told are fantasised. Throws
  /// InvalidOptions where more than `most_running` would run.
  std::vector<Suggestion> ask(std::size_t count);
  std::vector<Suggestion> ask();  ///< for `batch_size`

  /// The `count` best candidates of the search, best first, for callers who choose by rules of their own; nothing is
  /// suggested or counted. Points asked for and not yet told are fantasised. Once the initial design is done and
  /// nothing is enqueued the first is what `ask(1)` would suggest next. Empty before both models have learned
  /// something, and with Acquisition::random.
  std::vector<RankedCandidate> rank(std::size_t count);

  /// A configuration that somebody else runs already: pending from now on, as if this run had suggested it (a batch
  /// of its own), and told, failed or withdrawn by the id that is returned. It is fantasised, counts as one of this
  /// run's evaluations, and is charged when it is told. Always taken, whatever is spent, evaluated or running,
  /// duplicates and constraints included: what runs is a fact. Throws InvalidConfiguration where it is not of the
  /// space or not in the pool, InvalidOptions where more than `most_running` would run.
  std::uint64_t adopt(const Configuration& configuration);
  /// A configuration that `ask` is to suggest before anything else: those enqueued first come first, in any phase,
  /// and evaluated ones again. The budget, `max_evaluations` and `strict` hold: what `strict` forbids is passed over
  /// and waits. Throws InvalidConfiguration where it is not of the space, violates a constraint or is not in the
  /// pool.
  void enqueue(const Configuration& configuration);
  /// What waits to be suggested, first come first.
  std::vector<Configuration> enqueued() const;
  /// Takes back the first that was enqueued with these values; false where none waits.
  bool dequeue(const Configuration& configuration);

  // What the models know. These bring both up to date with everything that was told, as `ask` does, so that results
  // told between two of them count as learned apart: later suggestions may differ from those of a run that was not
  // asked. Pending points do not count.

  /// What the models expect of configurations, evaluated or not; `coverage` of the interval in (0, 1). Throws
  /// InvalidConfiguration naming the one that is not of the space.
  std::vector<Prediction> predict(std::span<const Configuration> configurations, double coverage = 0.95);
  /// The success whose posterior mean is best, the first told of equals; absent before the first. Under noise it is
  /// the better answer: `best()` favours the lucky.
  std::optional<Recommendation> recommend();
  /// Shares of the variance of a model's mean over the space, each parameter on its own scale and equally likely
  /// everywhere; constraints and pools do not count. Estimated from randomised quasi-random sequences. The spread of
  /// the objective's shares covers what the model does not know, too (each sequence sees a draw from its posterior at
  /// the fitted hyperparameters); that of the cost's the sequences alone. Absent before the model has learned
  /// something. Throws InvalidOptions, also where a column of the pool is part of the cost, which the space's other
  /// points lack.
  std::optional<Importance> importance(Modelled model = Modelled::objective, const ImportanceOptions& options = {});
  FittedModels hyperparameters();

  /// How the next search fits into `backend.memory_bytes`: models of more points than fit learn from a subset. Throws
  /// InvalidOptions where not even models of 64 points and a tile of 4,096 candidates do: `ask` then goes on with
  /// these.
  MemoryPlan memory_plan() const;

  /// The result of a suggestion. The order in which results are told does not matter to the next suggestion.
  void tell(std::uint64_t id, const Evaluation& evaluation);
  /// A result for a configuration that was not suggested: prior data, or a run of the caller's own.
  void tell(const Configuration& configuration, const Evaluation& evaluation, Origin origin = Origin::prior);
  /// Prior data whose cost is not known: it teaches the objective alone.
  void tell_prior(const Configuration& configuration, double objective);
  /// What an earlier optimizer observed, failures included; its id does not count. With Origin::this_run it counts as
  /// if this run had found it, so that a study goes on where it stopped: what is spent, with `batch` and `slot`
  /// telling what ran at the same time, and the design's end and alpha, for which observations are told in the order
  /// of their batches, with their `phase`: without it the design is taken to have gone on to its share. With
  /// `wall_clock` accounting costs are spent where the clock had not started.
  void tell(const Observation& observation);

  /// A suggestion that failed after `cost` (0 or above); `timed_out` where its full cost is at least that.
  void fail(std::uint64_t id, double cost, std::string reason, bool timed_out = false);
  void fail(const Configuration& configuration, double cost, std::string reason, bool timed_out = false,
            Origin origin = Origin::prior);
  /// Takes back a suggestion that will never be evaluated; it costs nothing and may be suggested again.
  void withdraw(std::uint64_t id);

  /// Suggestions not told yet, oldest first.
  std::vector<std::uint64_t> pending() const;
  /// The same as `ask` made them: what is to be evaluated again after a restore.
  std::vector<Suggestion> pending_suggestions() const;
  /// In the order in which they were told; valid until the next call that may change something.
  std::span<const Observation> observations() const&;
  /// Moved out at the end of a study: nothing is copied, so that this cannot fail for want of memory. The optimizer
  /// is then as one that was moved from.
  std::vector<Observation> observations() &&;
  /// Best success so far; absent before the first.
  std::optional<Observation> best() const;
  /// Of the budget; see Accounting.
  double spent() const;
  Accounting accounting() const;
  Phase phase() const;
  StopReason stop_reason() const;
  bool done() const { return stop_reason() != StopReason::running; }
  /// What is legal and was probably not meant, as things stand.
  std::vector<std::string> warnings() const;
  const Space& space() const;
  const Options& options() const;

 private:
  class State;
  explicit Optimizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace carbo
