#include "backend/cpu/features.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "formulas/linear_cost.hpp"

namespace carbo::internal {

CpuFeatures::CpuFeatures(ThreadPool& pool, MatrixView values)
    : size_(values.rows), features_(values.columns), values_(panels_of(values.rows) * values.columns * panel_width) {
  check_finite(values, "make_features");
  pool.parallel_for(panels_of(size_), [&](std::size_t p) {
    for (std::size_t j = 0; j < panel_width; ++j) {
      const auto candidate = values.row(std::min(p * panel_width + j, size_ - 1));
      for (std::size_t f = 0; f < features_; ++f) values_[(p * features_ + f) * panel_width + j] = candidate[f];
    }
  });
}

void CpuFeatures::sums(const LinearTerm& term, std::size_t panel, double* out) const {
  std::fill_n(out, panel_width, term.intercept);
  for (std::size_t f = 0; f < features_; ++f) {
    const double* __restrict values = row(panel, f);
    const double coefficient = term.coefficients[f];
    for (std::size_t j = 0; j < panel_width; ++j) out[j] += coefficient * values[j];
  }
}

void CpuFeatures::explained(const LinearTerm& term, std::size_t panel, double* room, double* out) const {
  std::fill_n(out, panel_width, 0.0);
  for (std::size_t f = 0; f <= features_; ++f) {
    const double* covariance = term.covariance.data() + f * (features_ + 1);
    std::fill_n(room, panel_width, covariance[features_]);
    for (std::size_t g = 0; g < features_; ++g) {
      const double* __restrict values = row(panel, g);
      for (std::size_t j = 0; j < panel_width; ++j) room[j] += covariance[g] * values[j];
    }
    for (std::size_t j = 0; j < panel_width; ++j) out[j] += f < features_ ? room[j] * row(panel, f)[j] : room[j];
  }
  // Rounding may leave a form that is 0 a little below it.
  for (std::size_t j = 0; j < panel_width; ++j) out[j] = std::max(out[j], 0.0);
}

std::unique_ptr<CpuField> CpuFeatures::linear_field(ThreadPool& pool, ScratchPool& scratch, const LinearTerm& term,
                                                    const CpuField* offset) const {
  check_linear_term(term, features_);
  const bool with_variance = !term.covariance.empty();
  const bool relative = term.error == CostError::relative;
  auto field = std::make_unique<CpuField>(size_, with_variance);
  pool.parallel_for(panels_of(size_), [&](std::size_t p) {
    const ScratchPool::Lease lease = scratch.borrow(panel_width);
    double* mean = field->mean_row(p, 0);
    double* variance = with_variance ? field->base_row(p) : nullptr;
    sums(term, p, mean);
    if (with_variance) explained(term, p, lease.data(), variance);
    for (std::size_t j = 0; j < panel_width; ++j) {
      const kernels::LogLinearCost cost = kernels::log_linear_cost(mean[j], term.knee);
      mean[j] = offset == nullptr ? cost.value : cost.value + offset->mean_row(p, 0)[j];
      if (with_variance) variance[j] = kernels::log_linear_variance(cost, variance[j], term.spread, relative);
    }
  });
  return field;
}

}  // namespace carbo::internal
