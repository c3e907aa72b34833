#include "backend/cpu/lazy_field.hpp"

#include <algorithm>
#include <cmath>

#include "backend/jitter_policy.hpp"

namespace carbo::internal {

LazyField::LazyField(const CpuFactor& factor, const CpuCandidates& candidates, double scale)
    : factor_(factor),
      candidates_(candidates),
      squared_scale_(scale * scale),
      field_(candidates.size(), true),
      solved_rows_(candidates.panels() * panel_width, 0) {
  follow_factor();
}

void LazyField::follow_factor() {
  const double rows = static_cast<double>(factor_.rows());
  field_.set_floor(squared_scale_ * kernels::variance_floor(factor_.parameters().signal_variance, rows));
  for (const CpuFactor::Fantasy& fantasy : factor_.fantasies())
    largest_error_ = std::max(largest_error_, fantasy.response_error);
}

void LazyField::assume_errors() {
  const GpParameters& parameters = factor_.parameters();
  const double usual = kernels::usual_response_error(parameters.signal_variance, parameters.noise_variance,
                                                     static_cast<double>(factor_.rows()), fantasy_pivot);
  assumed_error_ = kernels::assumed_response_error(largest_error_, usual);
}

void LazyField::sweep_panel(ScratchPool& scratch, std::size_t panel, std::span<const double> weights,
                            std::size_t rows) {
  const GpParameters& parameters = factor_.parameters();
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease = scratch.borrow(coordinates + solve_room(rows));
  const PointColumns scaled = scale_panel(candidates_.panel(panel), parameters.inverse_lengthscales, lease.data());
  double* base = field_.base_row(panel);
  mean_and_explained(factor_, scaled, weights, rows, lease.data() + coordinates, field_.mean_row(panel, 0), base);
  for (std::size_t j = 0; j < panel_width; ++j) base[j] = squared_scale_ * (parameters.signal_variance - base[j]);
  for (std::size_t f = 1; f < field_.means(); ++f)
    std::copy_n(field_.mean_row(panel, 0), panel_width, field_.mean_row(panel, f));
  if (field_.conditioned()) std::fill_n(field_.reduction_row(panel), panel_width, 0.0);
  std::fill_n(solved_rows_.begin() + static_cast<std::ptrdiff_t>(panel * panel_width), panel_width,
              static_cast<std::uint32_t>(rows));
}

PointColumns LazyField::gather(Gathered gathered, std::size_t lanes, double* storage) const {
  const std::span<const double> inverse_lengthscales = factor_.parameters().inverse_lengthscales;
  const std::size_t columns = candidates_.columns();
  for (std::size_t j = 0; j < lanes; ++j) {
    const std::size_t candidate = gathered[std::min(j, gathered.size() - 1)];
    const double* from = candidates_.panel(candidate / panel_width).data + candidate % panel_width;
    for (std::size_t c = 0; c < columns; ++c)
      storage[c * panel_width + j] = from[c * panel_width] * inverse_lengthscales[c];
  }
  return {storage, panel_width, columns};
}

void LazyField::refresh(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions) {
  const std::size_t means = field_.means();
  const std::size_t lanes = lanes_for(gathered.size());
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease =
      scratch.borrow(coordinates + (means + 2 + std::min(responses_at_once, factor_.fantasised())) * panel_width);
  const PointColumns panel = gather(gathered, lanes, lease.data());
  double* own_means = lease.data() + coordinates;
  double* reduction = own_means + means * panel_width;
  double* masked = reduction + panel_width;
  auto* response = reinterpret_cast<double(*)[panel_width]>(masked + panel_width);
  std::size_t oldest = factor_.fantasised();
  for (std::size_t j = 0; j < lanes; ++j) {
    const std::size_t candidate = gathered[std::min(j, gathered.size() - 1)];
    const std::size_t p = candidate / panel_width, lane = candidate % panel_width;
    for (std::size_t f = 0; f < means; ++f) own_means[f * panel_width + j] = field_.mean_row(p, f)[lane];
    reduction[j] = field_.reduction_row(p)[lane];
    oldest = std::min<std::size_t>(oldest, versions[candidate]);
  }
  for (std::size_t first = oldest; first < factor_.fantasised(); first += responses_at_once) {
    const std::size_t last = std::min(factor_.fantasised(), first + responses_at_once);
    responses(factor_, first, last, panel, lanes, response);
    for (std::size_t t = first; t < last; ++t) {
      // Who has seen this point already gets a response of 0, which leaves every bit as it is.
      for (std::size_t j = 0; j < lanes; ++j) {
        const std::size_t candidate = gathered[std::min(j, gathered.size() - 1)];
        masked[j] = versions[candidate] <= t ? response[t - first][j] : 0.0;
      }
      apply_response(factor_.fantasies()[t], masked, lanes, own_means, reduction);
    }
  }
  for (std::size_t j = 0; j < gathered.size(); ++j) {
    const std::size_t p = gathered[j] / panel_width, lane = gathered[j] % panel_width;
    for (std::size_t f = 0; f < means; ++f) field_.mean_row(p, f)[lane] = own_means[f * panel_width + j];
    field_.reduction_row(p)[lane] = reduction[j];
  }
}

void LazyField::solve(ScratchPool& scratch, Gathered gathered, std::size_t rows) {
  const std::size_t lanes = lanes_for(gathered.size());
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease = scratch.borrow(coordinates + solve_room(rows));
  const PointColumns panel = gather(gathered, lanes, lease.data());
  alignas(64) double explained[panel_width];
  explained_variance(factor_, panel, lanes, rows, lease.data() + coordinates, explained);
  for (std::size_t j = 0; j < gathered.size(); ++j) {
    const std::size_t p = gathered[j] / panel_width, lane = gathered[j] % panel_width;
    field_.base_row(p)[lane] = squared_scale_ * (factor_.parameters().signal_variance - explained[j]);
    solved_rows_[gathered[j]] = static_cast<std::uint32_t>(rows);
  }
}

}  // namespace carbo::internal
