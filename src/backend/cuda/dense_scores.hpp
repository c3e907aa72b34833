#pragma once

#include <memory>
#include <span>

#include "backend/cuda/candidates.hpp"
#include "backend/cuda/context.hpp"
#include "backend/cuda/field.hpp"
#include "backend/cuda/packed_block.hpp"
#include "backend/score_backend.hpp"
#include "backend/scored.hpp"
#include "device/score_view.hpp"

namespace carbo::internal {

/// Every candidate's exact score, for Backend::best and Backend::scores.
class DenseScores {
 public:
  explicit DenseScores(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

  /// All throw InvalidOptions on fields or incumbents that do not fit. `best` and `scores` wait for the device.
  BestTwo best(const CudaCandidates& candidates, const ScoreRequest& request) const;
  /// `out`: one a candidate; −∞ where it may not be picked.
  void scores(const CudaCandidates& candidates, const ScoreRequest& request, std::span<double> out) const;
  /// The same into `to`, device memory, without waiting.
  template <class Real>
  void write(const CudaCandidates& candidates, const ScoreRequest& request, Real* to) const;

 private:
  void check(const CudaCandidates& candidates, const ScoreRequest& request) const;
  /// A view whose tables lie in `tables`.
  kernels::ScoreView make_view(const CudaCandidates& candidates, const ScoreRequest& request,
                               PackedBlock& tables) const;

  std::shared_ptr<const Context> context_;
};

}  // namespace carbo::internal
