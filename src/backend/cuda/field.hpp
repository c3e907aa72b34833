#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "backend/cuda/context.hpp"
#include "backend/field_backend.hpp"

namespace carbo::internal {

class CudaFactor;

/// What a search computes means from where it needs them; see PosteriorBackend::sweep_for_search.
struct MeansOnDemand {
  const CudaFactor* factor = nullptr;
  Affine units;
  DeviceBuffer<double> offset;  ///< one a candidate; empty where there is none
};

/// Means by fantasy, fantasy f of candidate i at f · stride + i. A variance is max(base − reduction, floor): base is
/// what the observed rows leave, reduction what fantasised points have explained since.
class CudaField final : public Field {
 public:
  /// Values are not set.
  CudaField(std::shared_ptr<const Context> context, std::size_t size, bool with_variance);
  /// Has no values of its own: for searches.
  CudaField(std::shared_ptr<const Context> context, std::size_t size, MeansOnDemand means)
      : context_(std::move(context)), size_(size), on_demand_(std::move(means)) {}

  std::size_t size() const override { return size_; }
  std::size_t means() const override { return fantasies_; }
  bool has_variance() const override { return !bases_.empty(); }
  double mean(std::size_t candidate, std::size_t fantasy = 0) const override;
  double variance(std::size_t candidate) const override;
  void read(std::span<double> means, std::span<double> variances) const override;

  const Context& context() const { return *context_; }
  /// What the means are still to be computed from; null where they are there.
  const MeansOnDemand* on_demand() const { return on_demand_ ? &*on_demand_ : nullptr; }
  std::size_t stride() const { return size_; }
  double* mean_row(std::size_t fantasy) { return means_.data() + fantasy * stride(); }
  const double* mean_row(std::size_t fantasy) const { return means_.data() + fantasy * stride(); }
  /// Null where there is none.
  double* bases() { return bases_.data(); }
  const double* bases() const { return bases_.data(); }
  /// Null before a fantasised point has been applied.
  double* reductions() { return reductions_.data(); }
  const double* reductions() const { return reductions_.data(); }
  bool conditioned() const { return !reductions_.empty(); }
  double floor() const { return floor_; }
  void set_floor(double floor) { floor_ = floor; }
  /// One mean becomes `fantasies` equal ones, with reductions of 0.
  void spread(std::size_t fantasies);

 private:
  std::shared_ptr<const Context> context_;
  std::size_t size_;
  std::size_t fantasies_ = 1;
  DeviceBuffer<double> means_;
  DeviceBuffer<double> bases_;
  DeviceBuffer<double> reductions_;
  double floor_ = 0;
  std::optional<MeansOnDemand> on_demand_;
};

/// Throws InvalidOptions where a field has no values of its own; `where` begins the message.
void check_has_values(const CudaField& field, const char* where);

}  // namespace carbo::internal
