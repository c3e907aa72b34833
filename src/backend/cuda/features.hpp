#pragma once

#include <cstddef>
#include <memory>

#include "backend/cuda/context.hpp"
#include "backend/cuda/field.hpp"
#include "backend/cuda/upload.hpp"
#include "backend/field_backend.hpp"

namespace carbo::internal {

/// Features on the device: feature f of candidate i at f · size + i.
class CudaFeatures final : public FeatureTable {
 public:
  /// Throws NumericalError where a value is not finite.
  CudaFeatures(std::shared_ptr<const Context> context, MatrixView values);

  std::size_t size() const override { return size_; }
  std::size_t features() const override { return features_; }
  const Context& context() const { return *context_; }

  /// See Backend::linear_field. `offset` may be null. Throws InvalidOptions on a term that does not fit.
  std::unique_ptr<CudaField> linear_field(const LinearTerm& term, const CudaField* offset) const;

 private:
  std::shared_ptr<const Context> context_;
  std::size_t size_;
  std::size_t features_;
  DeviceBuffer<double> values_;
  ArrivingRows arriving_;
};

}  // namespace carbo::internal
