#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <carbo/array.hpp>
#include <carbo/diagnostics.hpp>
#include <carbo/options.hpp>

namespace carbo {

struct SelectorOptions {
  std::size_t columns = 0;  ///< of the pool and of observed points, 1 to 100
  Goal goal = Goal::minimize;
  std::uint64_t seed = 0;
  Transform transform = Transform::none;  ///< automatic chooses at every fit
  Incumbent incumbent = Incumbent::lowest_observed;
  bool allow_repeats = false;  ///< whether observed rows may be suggested again
  SurrogateOptions surrogate{};
  /// Expressions know the columns as x0, x1, …; functions see them as real parameters of these names. Models other
  /// than log_gp look at every candidate on the host: a pool in device memory is copied there once.
  CostOptions cost{.model = CostModelKind::log_gp};
  FantasyOptions fantasies{};
  BackendOptions backend{};
};

/// Candidates, every value in [0, 1]: scale columns so that the differences that matter are of the order of 0.1 to 1.
struct SelectorPool {
  MatrixRef rows;     ///< m × columns, 1 ≤ m < 2³²
  VectorRef costs{};  ///< of each row, above 0, where they are known; else they are learned
};

/// Evaluations: points by coordinates, or by rows of the pool.
struct Observations {
  MatrixRef points{};      ///< count × columns, every value in [0, 1]; empty where `rows` is given
  IndexRef rows{};         ///< of the pool; these are not suggested again unless `allow_repeats`
  VectorRef objectives{};  ///< finite
  VectorRef costs{};       ///< above 0 and finite; may be empty with `rows` of a pool whose costs are known
};

struct PickRequest {
  std::size_t count = 1;  ///< at most the rows that may still be suggested
  /// Exponent of the cost in EI / c^alpha and in MES / c^alpha, in [0, 1]: 1 is per cost, 0 blind to it. See
  /// cooling_exponent.
  double alpha = 1;
  /// Rows with a higher median cost are passed over.
  double cost_limit = std::numeric_limits<double>::infinity();
  /// What scores rows: EI / c^alpha, or one that takes its numbers from `acquisition_parameters`
  /// (a decay is the caller's own here, and not looked at).
  Acquisition acquisition = Acquisition::ei_cool;
  AcquisitionParameters acquisition_parameters{};
};

/// Where picks are written to; `scores` may be empty. Each has room for `PickRequest::count` values.
struct PickOutput {
  MutableIndexRef rows;
  /// Log EI-cool of each pick as it was made, of the standardised objective.
  MutableVectorRef scores{};
};

/// What a fit found.
struct SelectorFit {
  std::size_t observations = 0;
  PointsLearned objective_points;
  PointsLearned cost_points;
  Hyperparameters objective;              ///< of the standardised objective
  Transform transform = Transform::none;  ///< that the objective was learned under; what was chosen, where automatic
  CostModelKind cost_model = CostModelKind::log_gp;
  double objective_jitter = 0;  ///< relative to the mean diagonal; 0 where none was needed
  double cost_jitter = 0;
  double seconds = 0;
};

/// EI-cool over a pool, in pieces for applications that run their own loop: no space, no budget, no names. Arrays may
/// lie in host memory or, where the selector runs on a CUDA device, in that device's (carbo/cuda.hpp).
///
/// Rows that were suggested and not appended count as running: they are not suggested again, and what they may show
/// is fantasised.
///
/// On a device all work is in the order of one stream, the application's where it gave one; memory of the
/// application's is read and written in that order, so that kernels of its own need no wait before or after a call. A
/// call that waits returns when everything that was in the stream before it is done, too.
///
// clang-format off
/// | call            | waits for the stream                                  | must stay as it is                      |
/// | --------------- | ----------------------------------------------------- | --------------------------------------- |
/// | constructor     | no; making it may wait for the device                 | stream and allocator, for life          |
/// | set_pool        | yes                                                   | rows in device memory, until the next   |
/// | append          | where an array lies in device memory, or rows were    | nothing                                 |
/// |                 | not suggested: their points are read from the pool    |                                         |
/// | fit             | yes                                                   |                                         |
/// | suggest, design | yes; writes to device memory follow in the stream     | the output, until the stream has passed |
/// | scores          | to host memory; while rows are running; where         | the output, until the stream has passed |
/// |                 | observations are to be taken up; with fantasies that  |                                         |
/// |                 | are `batched`, with Incumbent::posterior_mean, with   |                                         |
/// |                 | Acquisition::mes_cool, and                            |                                         |
/// |                 | with costs that a model or an expression evaluates on |                                         |
/// |                 | the host                                              |                                         |
/// | withdraw        | where the rows lie in device memory                   | nothing                                 |
/// | destructor      | yes                                                   |                                         |
// clang-format on
/// A call that does not wait for the stream waits for what calls before it sent to the device, where a mebibyte of
/// that has not arrived yet.
///
/// One thread at a time: a call while another one runs throws ConcurrentCall. A call that throws changes nothing and
/// can be made again; where the host's memory runs out it throws OutOfMemory. Null, misplaced, misaligned,
/// overlapping, too short or unusable arrays: InvalidArray.
class Selector {
 public:
  /// Throws InvalidOptions, BackendUnavailable, OutOfMemory, DeviceError.
  explicit Selector(SelectorOptions options, const DeviceResources& resources = {});
  ~Selector();
  Selector(Selector&&) noexcept;
  Selector& operator=(Selector&&) noexcept;

  /// Takes up candidates instead of those before. Rows in device memory are read where they lie, all others copied.
  /// Observations are kept; which rows were observed or running is forgotten, so append the results of rows that
  /// still run before. Models start anew where the costs of this pool or of the last one are known. Throws
  /// OutOfMemory where the pool and the models pass `backend.memory_bytes`, as every call does that models grow in.
  void set_pool(const SelectorPool& pool);

  /// Adds observations; models take them up when they are asked next, with the hyperparameters that they have.
  /// Throws InvalidObservation, naming the first that cannot be learned from.
  void append(const Observations& observations);

  /// Fits the hyperparameters of both models. The first suggestion or design does so by itself; later ones only take
  /// up what was appended.
  SelectorFit fit();

  /// The best rows by EI-cool, each with the ones before it fantasised. Returns how many were written: fewer than
  /// asked for where the cost limit leaves no more. Throws InvalidOptions where more rows are asked for than may
  /// still be suggested; InvalidObservation where nothing was observed.
  std::size_t suggest(const PickRequest& request, const PickOutput& output);

  /// Rows of the cost-effective initial design (Algorithm 1 of CArBO): cheap, and far from what is known. `alpha` is
  /// not looked at, `scores` must be empty. Needs an observation or known costs.
  std::size_t design(const PickRequest& request, const PickOutput& output);

  /// Log EI-cool of every row; −∞ where it may not be suggested. `request.count` is not looked at.
  void scores(const PickRequest& request, const MutableVectorRef& output);
  /// The same in memory of its own, where the selector runs; on a device from cudaMalloc, and given back by cudaFree,
  /// which waits for the device.
  OwnedVector scores(const PickRequest& request, Scalar scalar = Scalar::float64);

  /// Running rows that will never be appended; they may be suggested again.
  void withdraw(const IndexRef& rows);

  std::size_t pool_size() const;
  std::size_t available() const;  ///< rows that may be suggested
  std::size_t running() const;
  std::size_t observations() const;
  bool on_device() const;
  const std::string& backend_reason() const;  ///< which backend runs, and why

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// α = (budget − spent) / (budget − spent_at_design_end), within [0, 1]; 0 where the design used up the budget.
/// Throws InvalidOptions where one of them is not finite.
double cooling_exponent(double budget, double spent, double spent_at_design_end);

}  // namespace carbo
