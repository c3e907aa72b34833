#pragma once

#include <limits>
#include <span>

#include "acquisition/spec.hpp"
#include "backend/posterior_backend.hpp"

namespace carbo::internal {

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

/// The dense pass: what every candidate scores.
class ScoreBackend {
 public:
  virtual ~ScoreBackend() = default;

  /// The score of every candidate; −inf where it may not be picked.
  virtual void scores(const CandidateSet& candidates, const ScoreRequest& request, std::span<double> out) = 0;
};

}  // namespace carbo::internal
