#pragma once

#include <memory>
#include <span>

#include "backend/score_backend.hpp"
#include "backend/scored.hpp"
#include "backend/search_backend.hpp"

namespace carbo::internal {

/// What tests of the proof look at beside.
class BoundedSearch : public Search {
 public:
  /// Upper bounds on every candidate's score now and after each of the points of `normals_ahead`; −∞ where it may not
  /// be picked. Those below the request's floor may be looser than others.
  virtual void ceilings(const SearchRequest& request, std::span<double> out) = 0;
};

/// For tests and benches alone: the dense pick that searches must find, and searches that show their bounds.
class ProofBackend {
 public:
  virtual ~ProofBackend() = default;

  /// By a score of every candidate.
  virtual BestTwo best(const CandidateSet& candidates, const ScoreRequest& request) = 0;

  /// As SearchBackend::make_search. `ceiling_shift`: nats added to every upper bound; below 0 the bounds no longer
  /// hold, and picks may be wrong.
  virtual std::unique_ptr<BoundedSearch> make_bounded_search(const CandidateSet& candidates, const SearchSetup& setup,
                                                             double ceiling_shift = 0) = 0;
};

}  // namespace carbo::internal
