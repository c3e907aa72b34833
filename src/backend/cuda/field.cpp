#include "backend/cuda/field.hpp"

#include <vector>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "formulas/variance_floor.hpp"
#include "launch/fields.cuh"

namespace carbo::internal {

CudaField::CudaField(std::shared_ptr<const Context> context, std::size_t size, bool with_variance)
    : context_(std::move(context)), size_(size) {
  const DeviceScope scope(*context_);
  means_ = context_->buffer<double>(size);
  if (with_variance) bases_ = context_->buffer<double>(size);
}

void check_has_values(const CudaField& field, const char* where) {
  if (field.on_demand() != nullptr) throw_without_values(where);
}

double CudaField::mean(std::size_t candidate, std::size_t fantasy) const {
  check_has_values(*this, "field");
  check_field_index(candidate, size_, "candidate");
  check_field_index(fantasy, fantasies_, "fantasy");
  const DeviceScope scope(*context_);
  return context_->download_one(mean_row(fantasy) + candidate);
}

double CudaField::variance(std::size_t candidate) const {
  check_field_index(candidate, size_, "candidate");
  if (!has_variance()) throw InvalidOptions("field: it was swept without a variance");
  const DeviceScope scope(*context_);
  const double base = context_->download_one(bases() + candidate);
  return kernels::floored(conditioned() ? base - context_->download_one(reductions() + candidate) : base, floor_);
}

void CudaField::read(std::span<double> means, std::span<double> variances) const {
  check_has_values(*this, "field");
  check_field_room(means, variances, size_, has_variance());
  const DeviceScope scope(*context_);
  context_->download(means, mean_row(0));
  context_->download(variances, bases());
  std::vector<double> reductions(conditioned() ? size_ : 0);
  if (conditioned()) context_->download(std::span<double>(reductions), reductions_.data());
  for (std::size_t i = 0; i < size_; ++i)
    variances[i] = kernels::floored(conditioned() ? variances[i] - reductions[i] : variances[i], floor_);
}

void CudaField::spread(std::size_t fantasies) {
  const DeviceScope scope(*context_);
  auto means = context_->buffer<double>(size_ * fantasies);
  auto reductions = context_->buffer<double>(conditioned() ? 0 : bases_.size());
  context_->check(kernels::launch_spread(context_->stream(), means_.data(), size_, fantasies, means.data()),
                  "spreading means");
  if (!reductions.empty()) {
    context_->check(cudaMemsetAsync(reductions.data(), 0, reductions.size() * sizeof(double), context_->stream()),
                    "starting reductions");
    reductions_ = std::move(reductions);
  }
  means_ = std::move(means);
  fantasies_ = fantasies;
}

}  // namespace carbo::internal
