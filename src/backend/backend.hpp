#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/array.hpp>
#include <carbo/options.hpp>

#include "acquisition/spec.hpp"
#include "backend/device_access.hpp"
#include "backend/gp_factor.hpp"
#include "space/sobol_recipe.hpp"

namespace carbo::internal {

/// Candidates of a Sobol sample, in order: points by index, then rows that are given.
struct SobolRows {
  const SobolRecipe* recipe = nullptr;
  std::uint32_t first = 0;                   ///< index of the first point, where `indices` is empty
  std::size_t points = 0;                    ///< at least one; the last index is below 2^32
  std::span<const std::uint32_t> indices{};  ///< of all points, ascending; where empty: first, first + 1, …
  MatrixView others{};                       ///< encoded rows that follow the points; may be empty
};

/// Output units of a field: shift + scale · standardised mean, scale² · variance.
struct Affine {
  double shift = 0;
  double scale = 1;
};

/// Ω̃ resident on the backend, with a mask of what may be picked and the running distance to the design.
class CandidateSet {
 public:
  virtual ~CandidateSet() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t available() const = 0;
  /// Rows that may no longer be picked; those already excluded are passed over.
  virtual void exclude(std::span<const std::size_t> indices) = 0;
  void exclude(std::size_t index) { exclude(std::span<const std::size_t>(&index, 1)); }
  /// Takes back `exclude`; rows that may be picked are passed over.
  virtual void readmit(std::span<const std::size_t> indices) = 0;
  virtual bool is_available(std::size_t index) const = 0;
  /// Encoded coordinates, one row after the other.
  virtual void read(std::span<const std::size_t> indices, std::span<double> to) const = 0;
  /// Distance of each candidate to the nearest of these points; infinity where there are none.
  virtual void set_design(MatrixView points) = 0;
  virtual void add_design_point(std::span<const double> point) = 0;
  /// Radius of the largest empty ball: the greatest distance to the design over all candidates.
  virtual double fill() const = 0;
};

/// Per-candidate model values, resident: one or more means (one a fantasy) and, where asked for, a variance.
class Field {
 public:
  virtual ~Field() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t means() const = 0;
  virtual bool has_variance() const = 0;
  /// Copies to the host; for tests, receipts and callers who ask.
  virtual double mean(std::size_t candidate, std::size_t fantasy = 0) const = 0;
  virtual double variance(std::size_t candidate) const = 0;
};

/// Numbers of each candidate that a linear model is made of, resident.
class FeatureTable {
 public:
  virtual ~FeatureTable() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t features() const = 0;
};

/// A linear model of a cost: c = positive(Σ c_j φ_j + c₀), see log_linear_cost.
struct LinearTerm {
  std::span<const double> coefficients;  ///< one a feature
  double intercept = 0;
  double knee = 0;  ///< above 0
  /// (features + 1)², intercept last: of the coefficients, over spread². Empty where no variance is wanted.
  std::span<const double> covariance{};
  double spread = 0;  ///< standard deviation of what the features do not explain
  CostError error = CostError::relative;
};

/// A GP and its posterior over Ω̃, advanced together as points are fantasised.
struct Member {
  GpFactor* factor = nullptr;
  Field* field = nullptr;
};

struct ScoreRequest {
  /// One field with n_f means (`shared`), or n_f fields of one mean each (`batched`).
  std::span<const Member> objective;
  /// y_best of each fantasy, in the order of members and their means.
  std::span<const double> incumbents;
  /// Log cost; null where cost does not enter.
  const Field* log_cost = nullptr;
  kernels::AcquisitionSpec acquisition{};
  /// Candidates with a median log cost above this are passed over.
  double log_cost_limit = std::numeric_limits<double>::infinity();
};

/// A candidate and its score. No candidate: index is `none`.
struct Scored {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t index = none;
  double score = -std::numeric_limits<double>::infinity();
};

/// The best and the next best. Ties go to the lowest index.
using BestTwo = std::array<Scored, 2>;

/// What a search has done since it began.
struct SearchWork {
  std::size_t finished = 0;   ///< candidates whose exact variance was computed
  std::size_t refreshed = 0;  ///< times that a candidate was brought up to date with fantasised points
  std::size_t sweeps = 0;     ///< passes of bounds over all candidates
  double rows = 0;            ///< forward substitution done, in units of the dense pass's
};

/// What a search looks for, constant over its life but for `SearchRequest`.
struct SearchSetup {
  /// One factor (`shared`), or one a fantasy (`batched`). Borrowed; fantasised points are dropped by the caller, and
  /// those there already are applied to every candidate.
  std::span<GpFactor* const> factors;
  std::size_t fantasies = 1;  ///< n_f over all factors, a multiple of their number
  /// Log cost; null where cost does not enter. Borrowed.
  const Field* log_cost = nullptr;
  /// GP whose posterior log_cost is, in units of its own: its variance is computed where a pick needs it. Null where
  /// log_cost has all that the acquisition needs. Borrowed.
  const GpFactor* log_cost_factor = nullptr;
  Affine log_cost_units;
  /// Nats added to every upper bound. Below 0 the bounds no longer hold, and picks may be wrong: for tests of the
  /// proof.
  double ceiling_shift = 0;
};

struct SearchRequest {
  /// y_best of each fantasy, in the order of the factors and of the fantasies of each.
  std::span<const double> incumbents;
  kernels::AcquisitionSpec acquisition{};
  double log_cost_limit = std::numeric_limits<double>::infinity();
  /// Candidates that score less are not wanted: they may be left out of what is returned.
  double floor = -std::numeric_limits<double>::infinity();
  /// Normals of the points that will be fantasised next, one row of n_f a point, as far as they are known: bounds are
  /// then taken that far ahead. May be empty; never changes a result.
  std::span<const double> normals_ahead;
};

/// Finds the best candidates again and again while points are fantasised, without scoring every candidate: what
/// cannot be best by an upper bound is left alone. Picks and scores are those of `Backend::best` over dense fields,
/// bit for bit.
class Search {
 public:
  virtual ~Search() = default;
  /// Conditions on a point whose result is not known; see Backend::fantasise. Candidates are brought up to date only
  /// when a pick needs them.
  virtual std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) = 0;
  /// The `count` best available candidates, best first, with exact scores; fewer where fewer have one. Ties go to the
  /// lowest index.
  virtual std::vector<Scored> top(const SearchRequest& request, std::size_t count) = 0;
  /// Candidates that may be picked; of a stream, as the last `top` found them.
  virtual std::uint64_t available() const = 0;
  virtual SearchWork work() const = 0;
};

/// What tests of the proof look at beside.
class BoundedSearch : public Search {
 public:
  /// Upper bounds on every candidate's score now and after each of the points of `normals_ahead`; −∞ where it may not
  /// be picked.
  virtual void ceilings(const SearchRequest& request, std::span<double> out) = 0;
};

/// What the host's work may take. Never changes a result.
struct WorkLimits {
  std::size_t threads = std::numeric_limits<std::size_t>::max();    ///< that work at once
  std::size_t fit_bytes = std::numeric_limits<std::size_t>::max();  ///< matrices of likelihoods computed at once
};

/// The large operations that algorithms are made of. One call is one pass over Ω̃ or one batch of matrices;
/// what returns to the host is a few bytes. Results do not depend on threads or tiles.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  /// Whether the caller may prepare what comes next while the backend works on what it was given.
  virtual bool asynchronous() const = 0;
  /// Null where the backend runs on the host.
  virtual DeviceAccess* device_access() { return nullptr; }
  /// For calls from now on; nothing that a call returned may be at work. Without effect on a device, whose memory
  /// counts what it gives out itself.
  virtual void limit_work(const WorkLimits&) {}

  /// What is given may change as soon as a call returns.
  virtual std::unique_ptr<CandidateSet> make_candidates(MatrixView encoded) = 0;
  /// The set that the encoded rows of the sample would make; on a device to rounding.
  virtual std::unique_ptr<CandidateSet> make_candidates(const SobolRows& rows) = 0;

  /// All requests at once (lockstep restarts, both GPs); `values` has the size of `requests`.
  virtual void likelihoods(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) = 0;

  /// One factor a parameter set over the same points and targets, as one batched Cholesky. `counts` as in
  /// LikelihoodRequest. Jitter rises as in `jitter_policy.hpp`; throws NumericalError beyond its end.
  virtual std::vector<std::unique_ptr<GpFactor>> factor(MatrixView points, std::span<const double> targets,
                                                        std::span<const GpParameters> parameters,
                                                        std::span<const double> counts = {}) = 0;

  /// Posterior mean over all candidates, and the variance if `with_variance` (the O(n²·m) part). `offset`, where
  /// given, is added to the mean.
  virtual std::unique_ptr<Field> sweep(const GpFactor& factor, const CandidateSet& candidates, bool with_variance,
                                       Affine units = {}, const Field* offset = nullptr) = 0;
  /// `values`: candidates × features, all finite.
  virtual std::unique_ptr<FeatureTable> make_features(MatrixView values) = 0;
  /// Logarithm of a linear cost over all candidates, with its variance where the term has a covariance. One
  /// matrix-vector product. `offset`, where given, is added to the mean.
  virtual std::unique_ptr<Field> linear_field(const FeatureTable& features, const LinearTerm& term,
                                              const Field* offset = nullptr) = 0;
  /// A field of one mean from host values (a known cost); `variances` may be empty.
  virtual std::unique_ptr<Field> make_field(std::span<const double> means, std::span<const double> variances) = 0;

  /// Fantasises `point` in every member (whose fields are in standardised units): factor and field advance by one
  /// rank-one pass. `normals` holds one standard normal z a fantasy over all members; a field of one mean is first
  /// spread to normals.size() / members.size() means. Returns the fantasised values y* = μ⁽ⁱ⁾(x*) + ℓ·z_i, noise
  /// included.
  virtual std::vector<double> fantasise(std::span<const Member> members, const CandidateSet& candidates,
                                        std::span<const double> point, std::span<const double> normals) = 0;

  virtual BestTwo best(const CandidateSet& candidates, const ScoreRequest& request) = 0;
  /// The score of every candidate; −inf where it may not be picked.
  virtual void scores(const CandidateSet& candidates, const ScoreRequest& request, std::span<double> out) = 0;

  /// What was given must outlive the search; the first pass over all candidates comes with its first call.
  virtual std::unique_ptr<BoundedSearch> make_search(const CandidateSet& candidates, const SearchSetup& setup) = 0;

  /// Algorithm 1's inner race over the available candidates, by log cost and distance to the design.
  /// `none` where nothing is available below the limit.
  virtual std::size_t race(const CandidateSet& candidates, const Field& log_cost, double log_cost_limit) = 0;
};

/// What came of BackendOptions.
struct BackendChoice {
  std::string reason;            ///< the backend's name and why it runs: "cpu v3: asked for"
  bool on_device = false;        ///< candidates and models live in a device's memory, which `memory_bytes` counts
  std::size_t memory_bytes = 0;  ///< as given, or half of what was free
};

/// Throws InvalidOptions, and BackendUnavailable where the kind that was asked for cannot run here. `choice` may be
/// null. `resources` are for a backend on a device.
std::unique_ptr<Backend> make_backend(const BackendOptions& options, BackendChoice* choice = nullptr,
                                      const DeviceResources& resources = {});

}  // namespace carbo::internal
