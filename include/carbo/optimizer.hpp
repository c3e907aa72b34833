#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/memory_plan.hpp>
#include <carbo/observation.hpp>
#include <carbo/options.hpp>
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
  std::string backend;
  std::string backend_reason;                   ///< why that backend runs, such as "cpu v3: no CUDA driver was found"
  std::optional<double> alpha;                  ///< cost exponent of the score (search by a form of EI / c^alpha)
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
  std::optional<double> log_score;  ///< of the acquisition, in standardised units: log EI-cool over fantasies
  std::optional<double> runner_up_log_score;
  /// Predicted length of the round, this suggestion included, as it stood when this was picked; see Batches. Absent
  /// with `fixed`, and before costs can be predicted.
  std::optional<double> round_length;
  std::optional<double> fill;   ///< radius of the largest empty ball over the candidates (design)
  double objective_jitter = 0;  ///< relative to the mean diagonal; 0 where none was needed
  double cost_jitter = 0;
  std::optional<Calibration> objective_calibration;  ///< taken at the last fit, of up to 2,000 points
  std::optional<Calibration> cost_calibration;
  PointsLearned objective_points;
  PointsLearned cost_points;
  std::optional<CostModelKind> cost_model;          ///< that predicted; absent before it has learned something
  std::vector<CostModelScore> cost_model_scores{};  ///< that it was chosen by (automatic), as of the last fit
  std::size_t candidates = 0;                       ///< available when picked
  /// Candidates whose exact posterior this pick computed (all of them where it fell back to the dense pass), and
  /// those that it brought up to date with the batch so far, as shares of all (search). Bounds ruled out the others.
  std::optional<double> finished_share;
  std::optional<double> refreshed_share;
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

  /// Up to `count` suggestions to evaluate in parallel, or up to four times as many for `count` workers (see
  /// Batches); fewer where fewer candidates are left, none once the run is over (`stop_reason()` then says why).
  /// Points asked for earlier and not yet told are fantasised. Throws InvalidOptions where more than `most_running`
  /// would run.
  std::vector<Suggestion> ask(std::size_t count);
  std::vector<Suggestion> ask();  ///< for `batch_size`

  /// The `count` best candidates of the search, best first, for callers who choose by rules of their own; nothing is
  /// suggested or counted. Points asked for and not yet told are fantasised. Once the initial design is done the
  /// first is what `ask(1)` would suggest next. Empty before both models have learned something, and with
  /// Acquisition::random.
  std::vector<RankedCandidate> rank(std::size_t count);
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
  /// of their batches. With `wall_clock` accounting costs are spent where the clock had not started.
  void tell(const Observation& observation);

  /// A suggestion that failed after `cost` (0 or above); `timed_out` where its full cost is at least that.
  void fail(std::uint64_t id, double cost, std::string reason, bool timed_out = false);
  void fail(const Configuration& configuration, double cost, std::string reason, bool timed_out = false,
            Origin origin = Origin::prior);
  /// Takes back a suggestion that will never be evaluated; it costs nothing and may be suggested again.
  void withdraw(std::uint64_t id);

  /// Suggestions not told yet, oldest first.
  std::vector<std::uint64_t> pending() const;
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
  std::unique_ptr<State> state_;
};

}  // namespace carbo
