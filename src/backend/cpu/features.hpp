#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/cpu/field.hpp"
#include "backend/cpu/scratch.hpp"
#include "backend/field_backend.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// Features by panel, [panel][feature][panel_width]; the last panel repeats the last candidate.
class CpuFeatures final : public FeatureTable {
 public:
  /// Throws NumericalError where a value is not finite.
  CpuFeatures(ThreadPool& pool, MatrixView values);

  std::size_t size() const override { return size_; }
  std::size_t features() const override { return features_; }

  /// See Backend::linear_field. `offset` may be null. Throws InvalidOptions on a term that does not fit.
  std::unique_ptr<CpuField> linear_field(ThreadPool& pool, ScratchPool& scratch, const LinearTerm& term,
                                         const CpuField* offset) const;

 private:
  const double* row(std::size_t panel, std::size_t feature) const {
    return values_.data() + (panel * features_ + feature) * panel_width;
  }
  /// Σ c_j φ_j + c₀ of every candidate of a panel.
  void sums(const LinearTerm& term, std::size_t panel, double* out) const;
  /// φᵀCφ of every candidate of a panel, with 1 for the intercept; `room` for a panel.
  void explained(const LinearTerm& term, std::size_t panel, double* room, double* out) const;

  std::size_t size_;
  std::size_t features_;
  std::vector<double> values_;
};

}  // namespace carbo::internal
