#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/cholesky.hpp"
#include "backend/cuda/context.hpp"
#include "backend/cuda/likelihood_plan.hpp"
#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// Log marginal likelihoods with gradients, all requests at once: one batch a number of rows, in chunks that fit the
/// device memory that is free. One copy each way and one wait a chunk; requests whose matrix was not found positive
/// definite in a batch are tried again one by one, and where they are not, at the next jitter.
class CudaLikelihood {
 public:
  explicit CudaLikelihood(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

  /// Throws InvalidOptions or NumericalError on a malformed request, OutOfMemory where the largest does not fit.
  void compute(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values);

 private:
  /// A chunk of requests under way.
  struct Run {
    std::span<const LikelihoodRequest> requests;
    const LikelihoodChunk& chunk;
    std::byte* workspace;
    double jitter;
    bool alone;  ///< matrices of few rows are factored one by one, too
    Cholesky& cholesky;
  };
  /// What is still to do.
  struct Plan {
    std::vector<LikelihoodChunk> chunks;
    std::size_t workspace_bytes = 0;
  };

  Plan plan(std::span<const LikelihoodRequest> requests, std::span<const std::size_t> open) const;
  std::vector<std::size_t> compute_chunk(const Run& run, std::span<LikelihoodValue> values);
  void upload(const Run& run);
  void factorise(const Run& run) const;
  void factorise_group(const Run& run, const LikelihoodGroup& group) const;
  void invert_factors(const Run& run) const;
  void multiply_inverses(const Run& run) const;
  void sum_gradients(const Run& run) const;

  std::shared_ptr<const Context> context_;
  std::vector<std::byte> upload_;  ///< image of a chunk's first bytes
  std::vector<double> results_;
};

}  // namespace carbo::internal
