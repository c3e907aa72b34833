#include "backend/cpu/lazy_field.hpp"

#include <algorithm>
#include <cmath>

#include "acquisition/float_margin.hpp"
#include "backend/jitter_policy.hpp"

namespace carbo::internal {

LazyField::LazyField(const CpuFactor& factor, const CpuCandidates& candidates, bool with_variance,
                     const Affine& units, std::span<const double> offset)
    : factor_(factor),
      candidates_(candidates),
      units_(units),
      offset_(offset),
      field_(candidates.size(), with_variance),
      solved_rows_(candidates.panels() * panel_width, 0),
      exact_(solved_rows_.size(), 0) {
  follow_factor();
}

void LazyField::follow_factor() {
  const double rows = static_cast<double>(factor_.rows());
  field_.set_floor(units_.scale * units_.scale * kernels::variance_floor(factor_.parameters().signal_variance, rows));
  for (const CpuFactor::Fantasy& fantasy : factor_.fantasies())
    largest_error_ = std::max(largest_error_, fantasy.response_error);
  if (float_responses_) float_responses_->follow();
}

void LazyField::assume_errors() {
  const GpParameters& parameters = factor_.parameters();
  const double usual = kernels::usual_response_error(parameters.signal_variance, parameters.noise_variance,
                                                     static_cast<double>(factor_.rows()), fantasy_pivot);
  assumed_error_ = kernels::assumed_response_error(largest_error_, usual);
}

void LazyField::begin(Precision precision, double margin_share) {
  if (weights_.empty()) weights_ = factor_.weights();
  screen_.reset();
  float_responses_.reset();
  if (precision == Precision::float64) return;
  screen_.emplace(factor_, weights_, std::min(precise_rows, all_rows()), margin_share);
  if (field_.has_variance()) float_responses_.emplace(factor_, margin_share);
  lowers_from_ = factor_.fantasised();
}

double LazyField::typical_margin(ScratchPool& scratch, Gathered sample, std::size_t rows) const {
  const std::size_t lanes = lanes_for(sample.size());
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease = scratch.borrow(coordinates + solve_room(rows));
  const PointColumns panel = gather(sample, panel_width, lease.data());
  alignas(64) double sum[panel_width] = {};
  alignas(64) double margin[panel_width];
  alignas(64) double explained[panel_width] = {};
  screen_->add_sums(panel, sum, margin);
  if (rows > 0) explained_variance(factor_, panel, lanes, rows, lease.data() + coordinates, explained);
  for (std::size_t j = 0; j < sample.size(); ++j) {
    margin[j] *= std::abs(units_.scale);
    if (rows == 0) continue;
    const double variance = factor_.parameters().signal_variance - explained[j];
    margin[j] /= std::sqrt(std::max(units_.scale * units_.scale * variance, field_.floor()));
  }
  std::nth_element(margin, margin + sample.size() / 2, margin + sample.size());
  return margin[sample.size() / 2];
}

void LazyField::take_means(const CpuField& means) {
  std::copy_n(means.mean_row(0, 0), solved_rows_.size(), field_.mean_row(0, 0));
  std::fill(exact_.begin(), exact_.end(), 1);
}

/// The mean of rows beyond the first ones from below.
void LazyField::screen_panel(const PointColumns& scaled, std::size_t panel, std::size_t rows, double* matrix) {
  alignas(64) double margin[panel_width];
  double* __restrict mean = field_.mean_row(panel, 0);
  const double* offset = offset_.empty() ? nullptr : offset_.data() + panel * panel_width;
  leading_mean_and_explained(factor_, scaled, weights_, std::min(precise_rows, all_rows()), rows, matrix, mean,
                             rows > 0 ? field_.base_row(panel) : nullptr);
  screen_->add_sums(scaled, mean, margin);
  const double scale = std::abs(units_.scale);
  for (std::size_t j = 0; j < panel_width; ++j) {
    const double prior = factor_.parameters().mean;
    const double magnitude =
        scale * (std::abs(mean[j]) + std::abs(prior)) + std::abs(units_.shift) + (offset ? std::abs(offset[j]) : 0.0);
    margin[j] = kernels::float_mean_margin(margin[j], scale, magnitude);
    mean[j] += prior;
  }
  to_units(units_, offset, panel_width, mean);
  for (std::size_t j = 0; j < panel_width; ++j) mean[j] = margin[j] < HUGE_VAL ? mean[j] - margin[j] : -HUGE_VAL;
}

void LazyField::sweep_panel(ScratchPool& scratch, std::size_t panel, std::size_t rows) {
  const GpParameters& parameters = factor_.parameters();
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease = scratch.borrow(coordinates + solve_room(rows));
  const PointColumns scaled = scale_panel(candidates_.panel(panel), parameters.inverse_lengthscales, lease.data());
  double* mean = field_.mean_row(panel, 0);
  double* base = rows > 0 ? field_.base_row(panel) : nullptr;
  if (screen_) {
    screen_panel(scaled, panel, rows, lease.data() + coordinates);
  } else {
    mean_and_explained(factor_, scaled, panel_width, weights_, rows, lease.data() + coordinates, mean, base);
    to_units(units_, offset_.empty() ? nullptr : offset_.data() + panel * panel_width, panel_width, mean);
  }
  for (std::size_t j = 0; rows > 0 && j < panel_width; ++j)
    base[j] = units_.scale * units_.scale * (parameters.signal_variance - base[j]);
  for (std::size_t f = 1; f < field_.means(); ++f) std::copy_n(mean, panel_width, field_.mean_row(panel, f));
  if (field_.conditioned()) std::fill_n(field_.reduction_row(panel), panel_width, 0.0);
  const auto first = static_cast<std::ptrdiff_t>(panel * panel_width);
  std::fill_n(solved_rows_.begin() + first, panel_width, static_cast<std::uint32_t>(rows));
  std::fill_n(exact_.begin() + first, panel_width, screen_ ? 0 : 1);
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

void LazyField::weigh_responses(ScratchPool& scratch, Gathered finished) {
  if (!float_responses_) return;
  const std::size_t points = factor_.fantasised();
  const ScratchPool::Lease lease = scratch.borrow(candidates_.columns() * panel_width);
  FloatResponses::Bounded found;
  std::vector<double> shares;
  if (!finished.empty() && points > 0)
    float_responses_->bound(points - 1, points, gather(finished, lanes_for(finished.size()), lease.data()),
                            finished.size(), found, nullptr);
  for (std::size_t j = 0; j < finished.size() && points > 0; ++j) {
    const std::size_t p = finished[j] / panel_width, lane = finished[j] % panel_width;
    shares.push_back(found.errors[0][j] / std::sqrt(field_.variance_at(p, lane)));
  }
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  if (shares.empty() || !(*middle < kernels::worthwhile_response_error)) lowers_from_ = points;
}

void LazyField::lower(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions) {
  const std::size_t count = gathered.size(), last = factor_.fantasised();
  std::size_t first = last;
  for (const std::uint32_t candidate : gathered) first = std::min<std::size_t>(first, versions[candidate]);
  if (first == last) return;
  const ScratchPool::Lease lease = scratch.borrow(candidates_.columns() * panel_width);
  FloatResponses::Bounded found;
  alignas(64) double squares[panel_width];
  float_responses_->bound(first, last, gather(gathered, lanes_for(count), lease.data()), count, found,
                          bounds_responses() ? squares : nullptr);
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t p = gathered[j] / panel_width, lane = gathered[j] % panel_width;
    for (std::size_t t = versions[gathered[j]]; t < last; ++t) {
      const kernels::BoundedResponse response{found.values[t - first][j], found.errors[t - first][j]};
      const std::vector<double>& normals = factor_.fantasies()[t].normals;
      for (std::size_t f = 0; f < normals.size(); ++f) {
        double& mean = field_.mean_row(p, f)[lane];
        mean = kernels::lowered_mean(mean, response, normals[f]);
      }
      field_.reduction_row(p)[lane] += kernels::least_reduction(response);
    }
    if (bounds_responses()) response_bounds_.set_squares(gathered[j], squares[j]);
  }
}

void LazyField::refresh(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions) {
  const std::size_t means = field_.means();
  const std::size_t lanes = lanes_for(gathered.size());
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease =
      scratch.borrow(coordinates + (means + 3 + std::min(responses_at_once, factor_.fantasised())) * panel_width);
  const PointColumns panel = gather(gathered, lanes, lease.data());
  double* own_means = lease.data() + coordinates;
  double* reduction = own_means + means * panel_width;
  double* masked = reduction + panel_width;
  double* squares = masked + panel_width;
  auto* response = reinterpret_cast<double(*)[panel_width]>(squares + panel_width);
  std::size_t oldest = factor_.fantasised();
  for (std::size_t j = 0; j < lanes; ++j) {
    const std::size_t candidate = gathered[std::min(j, gathered.size() - 1)];
    const std::size_t p = candidate / panel_width, lane = candidate % panel_width;
    for (std::size_t f = 0; f < means; ++f) own_means[f * panel_width + j] = field_.mean_row(p, f)[lane];
    reduction[j] = field_.reduction_row(p)[lane];
    oldest = std::min<std::size_t>(oldest, versions[candidate]);
  }
  const bool with_squares = oldest < factor_.fantasised() && bounds_responses();
  for (std::size_t first = oldest; first < factor_.fantasised(); first += responses_at_once) {
    const std::size_t last = std::min(factor_.fantasised(), first + responses_at_once);
    responses(factor_, first, last, panel, lanes, response,
              with_squares && last == factor_.fantasised() ? squares : nullptr);
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
    if (with_squares) response_bounds_.set_squares(gathered[j], squares[j]);
  }
}

void LazyField::bound_responses(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions) {
  const std::size_t lanes = lanes_for(gathered.size());
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease = scratch.borrow(coordinates);
  const PointColumns panel = gather(gathered, lanes, lease.data());
  const double prior = factor_.parameters().signal_variance;
  alignas(64) double covariances[panel_width];
  double explained[panel_width];
  std::uint32_t seen[panel_width];
  std::size_t first = factor_.fantasised();
  for (std::size_t j = 0; j < gathered.size(); ++j) {
    const std::size_t p = gathered[j] / panel_width, lane = gathered[j] % panel_width;
    seen[j] = versions[gathered[j]];
    first = std::min(first, response_bounds_.next(gathered[j], seen[j]));
    explained[j] = HUGE_VAL;
    if (finished(gathered[j]))
      explained[j] = prior - field_.base_row(p)[lane] + field_.reduction_row(p)[lane] + field_.floor();
  }
  for (std::size_t t = first; t < factor_.fantasised(); ++t) {
    covariances_with(factor_, factor_.observed() + t, panel, lanes, covariances);
    response_bounds_.add(factor_, t, gathered, {seen, gathered.size()}, covariances, explained);
  }
}

void LazyField::set_mean(std::size_t candidate, double mean) {
  const std::size_t p = candidate / panel_width, lane = candidate % panel_width;
  for (std::size_t f = 0; f < field_.means(); ++f) field_.mean_row(p, f)[lane] = mean;
  if (field_.conditioned()) field_.reduction_row(p)[lane] = 0.0;
  exact_[candidate] = 1;
}

void LazyField::solve(ScratchPool& scratch, Gathered gathered, std::size_t rows) {
  const std::size_t lanes = lanes_for(gathered.size());
  const std::size_t coordinates = candidates_.columns() * panel_width;
  const ScratchPool::Lease lease = scratch.borrow(coordinates + solve_room(rows));
  const PointColumns panel = gather(gathered, lanes, lease.data());
  alignas(64) double explained[panel_width];
  alignas(64) double mean[panel_width];
  alignas(64) double offset[panel_width];
  const bool with_mean = screen_ && rows == all_rows();
  double* const matrix = lease.data() + coordinates;
  if (with_mean) {
    for (std::size_t j = 0; j < lanes && !offset_.empty(); ++j)
      offset[j] = offset_[gathered[std::min(j, gathered.size() - 1)]];
    mean_and_explained(factor_, panel, lanes, weights_, rows, matrix, mean, explained);
    to_units(units_, offset_.empty() ? nullptr : offset, lanes, mean);
  } else {
    explained_variance(factor_, panel, lanes, rows, matrix, explained);
  }
  for (std::size_t j = 0; j < gathered.size(); ++j) {
    if (with_mean && exact_[gathered[j]] == 0) set_mean(gathered[j], mean[j]);
    solved_rows_[gathered[j]] = static_cast<std::uint32_t>(rows);
    if (rows == 0) continue;
    field_.base_row(gathered[j] / panel_width)[gathered[j] % panel_width] =
        units_.scale * units_.scale * (factor_.parameters().signal_variance - explained[j]);
  }
}

}  // namespace carbo::internal
