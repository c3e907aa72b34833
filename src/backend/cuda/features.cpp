#include "backend/cuda/features.hpp"

#include "backend/checks.hpp"
#include "backend/cuda/packed_block.hpp"
#include "launch/linear_field.cuh"

namespace carbo::internal {

CudaFeatures::CudaFeatures(std::shared_ptr<const Context> context, MatrixView values)
    : context_(std::move(context)), size_(values.rows), features_(values.columns), arriving_(context_) {
  check_finite(values, "make_features");
  const DeviceScope scope(*context_);
  values_ = context_->buffer<double>(size_ * features_);
  arriving_.send(values, values_.data(), size_);
}

std::unique_ptr<CudaField> CudaFeatures::linear_field(const LinearTerm& term, const CudaField* offset) const {
  check_linear_term(term, features_);
  const bool with_variance = !term.covariance.empty();
  auto field = std::make_unique<CudaField>(context_, size_, with_variance);
  const DeviceScope scope(*context_);
  PackedBlock block;
  const std::size_t coefficients = block.add(term.coefficients);
  const std::size_t covariance = block.add(term.covariance);
  block.upload(*context_);
  arriving_.await();
  kernels::LinearFieldTask task;
  task.features = values_.data();
  task.size = size_;
  task.feature_count = static_cast<int>(features_);
  task.coefficients = block.at<const double>(coefficients);
  task.intercept = term.intercept;
  task.knee = term.knee;
  task.covariance = with_variance ? block.at<const double>(covariance) : nullptr;
  task.spread = term.spread;
  task.relative = term.error == CostError::relative;
  task.offset = offset == nullptr ? nullptr : offset->mean_row(0);
  task.means = field->mean_row(0);
  task.variances = field->bases();
  context_->check(kernels::launch_linear_field(context_->stream(), task), "linear cost over all candidates");
  return field;
}

}  // namespace carbo::internal
