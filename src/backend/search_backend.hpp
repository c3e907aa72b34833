#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "acquisition/spec.hpp"
#include "backend/candidate_backend.hpp"
#include "backend/field_backend.hpp"
#include "backend/gp_factor.hpp"
#include "backend/matrix_view.hpp"
#include "backend/pick_batch.hpp"
#include "backend/scored.hpp"

namespace carbo::internal {

/// What a search has done since it began.
struct SearchWork {
  std::size_t finished = 0;   ///< candidates whose exact variance was computed
  std::size_t refreshed = 0;  ///< times that a candidate was brought up to date with fantasised points
  std::size_t sweeps = 0;     ///< passes of bounds over all candidates
  double rows = 0;            ///< forward substitution done, in units of the dense pass's
  std::size_t means = 0;      ///< over all GPs, that first passes computed or bounded
  std::size_t screened = 0;   ///< of these, that were first bounded in low precision

  double screened_share() const;
};

/// In which means are looked at first, before those that matter are computed in float64. Never changes a pick. Pairs
/// of float32 are for devices on which float64 is slow; the CPU takes float64 instead.
enum class Precision { automatic, float64, float32, float_pairs };

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
  /// Automatic: the fastest whose margin is small beside the posterior's deviation. Others are for tests and benches.
  Precision precision = Precision::automatic;
  /// Of the proved margin; for tests: below 1 picks may be wrong.
  double margin_share = 1.0;
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
  /// Picks of the batch that follow this one, as far as is known: what only they would gain by is not done in vain.
  /// Never changes a result.
  std::size_t picks_left = 0;
  /// The same as `floor` of what is looked for beside; see Search::top_with.
  double floor_beside = -std::numeric_limits<double>::infinity();

  /// The best by another acquisition, of what this one is asked of.
  SearchRequest under(const kernels::AcquisitionSpec& other) const {
    return {incumbents, other, log_cost_limit, floor_beside, {}};
  }
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
  /// The same for several points, one after the other; normals and values point by point. Waits once where a backend
  /// is asynchronous.
  virtual std::vector<double> fantasise_all(MatrixView points, std::span<const double> normals);
  /// The `count` best available candidates, best first, with exact scores; fewer where fewer have one. Ties go to the
  /// lowest index.
  virtual std::vector<Scored> top(const SearchRequest& request, std::size_t count) = 0;
  /// The same, and the best candidate under another acquisition as `beside`, in the same pass where one is dear.
  virtual std::vector<Scored> top_with(const SearchRequest& request, std::size_t count,
                                       const kernels::AcquisitionSpec& other, Scored& beside);
  /// The predicted log cost of the candidate that the last `top` of one or two returned first; −∞ where cost does not
  /// enter. Does not wait.
  virtual double log_cost(std::size_t best) const = 0;
  /// The best candidate is taken and fantasised, and the next one picked knowing that it runs; the last one is taken
  /// alone. By `top` and `fantasise`, unless a search has a shorter way to the same picks.
  virtual BatchEnd pick(const BatchRequest& request);
  /// Candidates that may be picked; of a stream, as the last `top` found them.
  virtual std::uint64_t available() const = 0;
  virtual SearchWork work() const = 0;
};

/// Searches over a set of candidates.
class SearchBackend {
 public:
  virtual ~SearchBackend() = default;

  /// What was given must outlive the search; the first pass over all candidates comes with its first call.
  virtual std::unique_ptr<Search> make_search(const CandidateSet& candidates, const SearchSetup& setup) = 0;
};

}  // namespace carbo::internal
