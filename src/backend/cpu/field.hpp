#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backend/cpu/candidates.hpp"
#include "backend/field_backend.hpp"
#include "formulas/variance_floor.hpp"

namespace carbo::internal {

class CpuFactor;

/// What a search computes means from where it needs them; see PosteriorBackend::sweep_for_search.
struct DeferredMeans {
  const CpuFactor* factor = nullptr;
  Affine units;
  std::vector<double> offset;  ///< one a candidate, padded to whole panels; empty where there is none
};

/// Means by panel and fantasy, [panel][fantasy][panel_width]. A variance is max(base − reduction, floor): base is
/// what the observed rows leave, reduction what fantasised points have explained since.
class CpuField final : public Field {
 public:
  CpuField(std::size_t size, bool with_variance);
  /// Has no values of its own: for searches.
  CpuField(std::size_t size, DeferredMeans means) : size_(size), deferred_(std::move(means)) {}

  std::size_t size() const override { return size_; }
  std::size_t means() const override { return fantasies_; }
  bool has_variance() const override { return !bases_.empty(); }
  double mean(std::size_t candidate, std::size_t fantasy = 0) const override;
  double variance(std::size_t candidate) const override;
  void read(std::span<double> means, std::span<double> variances) const override;

  /// What the means are still to be computed from; null where they are there.
  const DeferredMeans* deferred() const { return deferred_ ? &*deferred_ : nullptr; }
  double* mean_row(std::size_t panel, std::size_t fantasy) {
    return means_.data() + (panel * fantasies_ + fantasy) * panel_width;
  }
  const double* mean_row(std::size_t panel, std::size_t fantasy) const {
    return means_.data() + (panel * fantasies_ + fantasy) * panel_width;
  }
  /// One a candidate, padded to whole panels; no reductions before the first fantasised point.
  const double* bases() const { return bases_.data(); }
  const double* reductions() const { return reductions_.data(); }
  double* base_row(std::size_t panel) { return bases_.data() + panel * panel_width; }
  double* reduction_row(std::size_t panel) { return reductions_.data() + panel * panel_width; }
  double variance_at(std::size_t panel, std::size_t lane) const {
    const std::size_t at = panel * panel_width + lane;
    return kernels::floored(reductions_.empty() ? bases_[at] : bases_[at] - reductions_[at], floor_);
  }
  /// Whether a fantasised point has been applied, and so there is a reduction.
  bool conditioned() const { return !reductions_.empty(); }
  double floor() const { return floor_; }
  void set_floor(double floor) { floor_ = floor; }
  /// One mean becomes `fantasies` equal ones, with room for their reductions.
  void spread(std::size_t fantasies);

 private:
  std::size_t size_;
  std::size_t fantasies_ = 1;
  std::vector<double> means_;
  std::vector<double> bases_;
  std::vector<double> reductions_;  ///< empty before the first fantasy
  double floor_ = 0;
  std::optional<DeferredMeans> deferred_;
};

/// Throws InvalidOptions where a field has no values of its own; `where` begins the message.
void check_has_values(const CpuField& field, const char* where);

}  // namespace carbo::internal
