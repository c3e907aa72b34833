#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <carbo/acquisition.hpp>
#include <carbo/cost.hpp>
#include <carbo/space.hpp>
#include <carbo/transform.hpp>

namespace carbo {

enum class Goal { minimize, maximize };

enum class InitialDesign {
  /// Warm start, then Algorithm 1 until its share of the budget is spent or its next point would teach too little.
  cost_effective,
  paper,    ///< warm start, then Algorithm 1 until its share of the budget is spent
  uniform,  ///< the warm start's uniform draws alone
  points,   ///< the caller's points (`DesignOptions::points`) in their order
};

/// What the budget counts.
enum class Accounting {
  automatic,   ///< `longest` where the unit is time, `sum` otherwise
  sum,         ///< the cost of every evaluation, added up
  longest,     ///< a synchronous batch counts its longest evaluation; asynchronously, the makespan over the slots
  wall_clock,  ///< elapsed running time in seconds, the engine's own included
};

enum class Execution { synchronous, asynchronous };

/// How many suggestions a synchronous `ask(w)` makes for its w workers. A round is what it suggests; with `fill` and
/// `top_up` its suggestions have a worker and a place in that worker's queue (Suggestion::slot, Suggestion::order),
/// up to four a worker, and the round counts the busiest worker's sum. Each goes to the worker with the least to do,
/// where it has to fit, as predicted, into what is left of the round. For Execution::synchronous, and time that is
/// counted by `longest` or `wall_clock`.
enum class Batches {
  fixed,  ///< one a worker; where costs are summed, no more than are known, or than the design or the caller wants
  /// In the search a round lasts as long as its first pick is predicted to take, and all others fit into that; in the
  /// initial design it is begun as with `top_up`.
  fill,
  top_up,  ///< w picks as with `fixed`, then what fits behind those that are shorter than the longest
};

/// What a pick of the search counts as costing. Where rounds are synchronous and cost their longest evaluation
/// (`longest`, `wall_clock`), what is predicted to end with the picks before it takes no time of its own, and what
/// lasts longer keeps them waiting.
enum class PickCost {
  /// As much as the round lasts, as predicted; the time beyond its length before counts once for the pick and once
  /// for each before it, as factors. Its own cost where costs are summed, asynchronously, in a round of one, and
  /// behind others in a worker's queue.
  in_round,
  own,  ///< its own cost, as in the paper
};

enum class Estimation { maximum_likelihood, map };

/// Which incumbent improvement is measured from.
enum class Incumbent {
  lowest_observed,  ///< under noise a lucky value, which hardly any candidate promises to pass
  posterior_mean,   ///< the lowest that the objective's model has at what was observed
};

enum class FantasyMode {
  shared,   ///< all fantasies share the hyperparameters, so one factor serves them all
  batched,  ///< each fantasy has hyperparameters of its own, drawn from their posterior
};

enum class CandidateSource { automatic, sobol, enumeration };

enum class BackendKind { automatic, cpu, cuda };

/// Hyperparameters of one Gaussian process, in units of the encoded cube and of standardised targets.
struct Hyperparameters {
  std::vector<double> lengthscales;  ///< one a parameter, above 0
  double signal_variance = 1.0;      ///< above 0
  double noise_variance = 1e-4;      ///< 0 or above
  std::optional<double> mean;        ///< estimated by generalised least squares where absent
};

struct SurrogateOptions {
  Estimation estimation = Estimation::map;
  double noise_floor = 1e-6;             ///< lowest noise variance of standardised targets
  std::size_t restarts = 4;              ///< starts of a full fit, the last optimum included; 1 to 1,024
  std::optional<Hyperparameters> fixed;  ///< no fit where given
  /// Distinct points that the model keeps at most (fewer where `backend.memory_bytes` asks for it), at least 64: of
  /// more, the best, the latest and a spread of the others. Its mean and its fits learn from up to eight times as
  /// many others beside. A fit takes time with the third power of them.
  std::size_t max_points = 4000;
};

struct DesignOptions {
  double budget_share = 1.0 / 8.0;  ///< tau_init / tau, in (0, 1)
  /// Uniform draws that teach the cost model, less what prior data there are; absent: 3 for `cost_effective`, 5 for
  /// the others, none for Algorithm 1 where the cost is known.
  std::optional<std::size_t> warm_start;
  /// `cost_effective` ends before an `ask` whose first design point would teach less, in [0, 1]; 0: never. What a
  /// point teaches is the variance that its evaluation is expected to take from the objective's model there, as a
  /// share of the prior's: 1 where nothing is known of it, 0 where everything is, or where all is noise.
  double least_gain = 0.75;
  std::vector<Configuration> points;  ///< for InitialDesign::points
};

struct CandidateOptions {
  CandidateSource source = CandidateSource::automatic;
  std::size_t count = 8192;               ///< size of a Sobol set before duplicates are dropped
  std::size_t enumeration_limit = 65536;  ///< finite spaces up to this size are enumerated
  bool renew = true;                 ///< fresh candidates in every iteration (never for a pool or an enumeration)
  double local_share = 0.4;          ///< share of a renewed set that lies round the best points, in [0, 1]
  bool allow_repeats = false;        ///< whether evaluated candidates may be suggested again
  std::shared_ptr<const Pool> pool;  ///< the caller's candidates, instead of all the above
};

struct CostOptions {
  CostModelKind model = CostModelKind::automatic;
  /// What the linear models are made of. Where there are none, `automatic` tries the numeric parameters.
  std::vector<CostFeature> features{};
  CostError error = CostError::relative;  ///< of the linear models' fit
  /// The cost itself, above 0 everywhere; nothing is learned then. For CostModelKind::known or automatic.
  std::optional<Quantity> known{};
  /// A factor of the cost that is known, above 0 everywhere; the models learn what is left.
  std::optional<Quantity> known_part{};
  /// Costs that stick out from what all others say of them are drawn in before a GP learns from them.
  bool robust = false;
  CostWeight weight = CostWeight::median;
  SurrogateOptions surrogate{};
  /// Unit of costs and budget. "ns", "us", "ms", "s", "min", "h", "d" and their longer spellings ("sec", "minutes")
  /// are time; what looks like a slip of one is refused; anything else, such as "EUR" or "kWh", is not time and is
  /// summed.
  std::string unit = "s";
};

struct FantasyOptions {
  std::size_t count = 10;  ///< n_f, 1 to 65,536
  FantasyMode mode = FantasyMode::shared;
};

struct FailureOptions {
  bool penalize = true;               ///< the objective model sees a failure as the worst value observed
  std::size_t max_consecutive = 100;  ///< a run is over after this many failures in a row
};

/// When an evaluation is to be cut off. Where both are given, the smaller counts. What was cut off is reported as
/// timed out, and the cost model learns that it costs at least that.
struct EvaluationOptions {
  std::optional<double> timeout{};  ///< a cost, in the unit of the budget, above 0
  /// Times the predicted cost, above 1; counts once the cost model has learned something.
  std::optional<double> timeout_factor{};
};

/// Stop when no candidate promises as much as it costs: when price · EI(x) < c(x) for all of them, with expected
/// improvement in the caller's units (by the transform's slope at the best value) and the median of the predicted
/// cost. Under Acquisition::gittins this is its own rule with lambda = 1 / price: every index is above the incumbent.
/// Looked at in every `ask` of the search, before its first pick.
struct StoppingOptions {
  std::optional<double> price{};  ///< units of cost that one unit of the objective is worth, above 0; none: no rule
  bool enforce = true;            ///< false: receipts say when it would have stopped (Receipt::would_stop)
};

struct BackendOptions {
  BackendKind kind = BackendKind::automatic;
  std::size_t threads = 0;  ///< up to 4,096; 0: all cores
  std::size_t tile = 0;     ///< candidates handled at once, 0: chosen by the backend; never changes results
  /// Bytes that candidates and models may take (see MemoryPlan), of the device's memory where the backend is cuda. 0:
  /// half of what is free when the optimizer is made, on the machine or under the limits of this process.
  std::size_t memory_bytes = 0;
  /// CUDA device. −1: the calling thread's current one where it is usable, or else the first that is.
  int device = -1;
};

struct Options {
  double budget = std::numeric_limits<double>::quiet_NaN();  ///< tau, required: finite and above 0
  std::size_t batch_size = 1;
  std::uint64_t seed = 0;
  Acquisition acquisition = Acquisition::ei_cool;
  AcquisitionParameters acquisition_parameters{};
  InitialDesign initial_design = InitialDesign::cost_effective;
  Goal goal = Goal::minimize;
  Execution execution = Execution::synchronous;
  Accounting accounting = Accounting::automatic;
  Batches batches = Batches::fixed;
  PickCost pick_cost = PickCost::in_round;
  bool strict = false;  ///< never start what is not predicted to finish inside the budget
  /// The run is over after so many, too; progress is then the larger share of the two (see Receipt::progress).
  std::optional<std::size_t> max_evaluations{};
  std::optional<double> target{};              ///< stop once an objective at least this good is observed
  Transform transform = Transform::automatic;  ///< of the objective, before it is standardised
  Incumbent incumbent = Incumbent::posterior_mean;
  SurrogateOptions surrogate{};
  DesignOptions design{};
  CandidateOptions candidates{};
  CostOptions cost{};
  FantasyOptions fantasies{};
  FailureOptions failures{};
  BackendOptions backend{};
  EvaluationOptions evaluation{};
  StoppingOptions stopping{};
};

}  // namespace carbo
