#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cpu/candidates.hpp"

namespace carbo::internal {

/// Means by panel and fantasy, [panel][fantasy][panel_width]; variances by panel.
class CpuField final : public Field {
 public:
  CpuField(std::size_t size, bool with_variance);

  std::size_t size() const override { return size_; }
  std::size_t means() const override { return fantasies_; }
  bool has_variance() const override { return !variances_.empty(); }
  double mean(std::size_t candidate, std::size_t fantasy = 0) const override;
  double variance(std::size_t candidate) const override;

  double* mean_row(std::size_t panel, std::size_t fantasy) {
    return means_.data() + (panel * fantasies_ + fantasy) * panel_width;
  }
  const double* mean_row(std::size_t panel, std::size_t fantasy) const {
    return means_.data() + (panel * fantasies_ + fantasy) * panel_width;
  }
  double* variance_row(std::size_t panel) { return variances_.data() + panel * panel_width; }
  const double* variance_row(std::size_t panel) const { return variances_.data() + panel * panel_width; }
  /// One mean becomes `fantasies` equal ones.
  void spread(std::size_t fantasies);

 private:
  std::size_t size_;
  std::size_t fantasies_ = 1;
  std::vector<double> means_;
  std::vector<double> variances_;
};

}  // namespace carbo::internal
