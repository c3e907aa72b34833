#include "backend/cpu/sweep.hpp"

#include <algorithm>

#include "backend/cpu/covariance.hpp"
#include "log_ei_cool.hpp"

namespace carbo::internal {
namespace {

/// The panel's coordinates divided by the lengthscales, into `storage` (columns × panel_width).
PointColumns scale_panel(const PointColumns& panel, std::span<const double> inverse_lengthscales, double* storage) {
  for (std::size_t c = 0; c < panel.columns; ++c)
    for (std::size_t j = 0; j < panel_width; ++j)
      storage[c * panel_width + j] = panel.data[c * panel_width + j] * inverse_lengthscales[c];
  return {storage, panel_width, panel.columns};
}

/// sum[j] += Σ_i weights[i] · k(x_i, panel_j) over the first `rows` points; K is never stored.
void add_weighted_covariances(const PointColumns& points, std::size_t rows, const PointColumns& panel,
                              double signal_variance, const double* weights, double* sum) {
  alignas(64) double squared[panel_width];
  for (std::size_t i = 0; i < rows; ++i) {
    squared_distances(points.data + i, points.stride, panel, 0, panel_width, squared);
    add_matern_row(squared, panel_width, signal_variance * weights[i], sum);
  }
}

/// mean ← Σ v w and explained ← Σ v², v = L⁻¹K (rows × panel_width, built and solved in `matrix`).
void solve_panel(const CpuFactor& factor, const PointColumns& panel, double* matrix, double* mean,
                 double* __restrict explained) {
  alignas(64) double squared[panel_width];
  const PointColumns points = factor.points();
  const LowerMatrix lower = factor.observed_lower();
  for (std::size_t i = 0; i < lower.size; ++i) {
    squared_distances(points.data + i, points.stride, panel, 0, panel_width, squared);
    matern_row(squared, panel_width, factor.parameters().signal_variance, matrix + i * panel_width);
  }
  solve_lower_panel(lower, matrix);
  std::fill_n(mean, panel_width, 0.0);
  std::fill_n(explained, panel_width, 0.0);
  for (std::size_t i = 0; i < lower.size; ++i) {
    const double* __restrict v = matrix + i * panel_width;
    double* __restrict sum = mean;
    const double w = factor.whitened()[i];
    for (std::size_t j = 0; j < panel_width; ++j) {
      sum[j] += v[j] * w;
      explained[j] += v[j] * v[j];
    }
  }
}

void apply_fantasy(const FantasyPass& pass, std::size_t p, const PointColumns& panel) {
  alignas(64) double r[panel_width];
  alignas(64) double squared[panel_width];
  const GpParameters& parameters = pass.factor->parameters();
  const std::size_t rows = pass.factor->rows() - 1;
  squared_distances(pass.fantasy.point.data(), 1, panel, 0, panel_width, squared);
  matern_row(squared, panel_width, -parameters.signal_variance, r);
  add_weighted_covariances(pass.factor->points(), rows, panel, parameters.signal_variance, pass.fantasy.beta.data(),
                           r);
  const double scale = -1.0 / pass.fantasy.pivot;
  const double floor = kernels::variance_floor(parameters.signal_variance, static_cast<double>(rows + 1));
  double* variance = pass.field->variance_row(p);
  for (std::size_t j = 0; j < panel_width; ++j) {
    r[j] *= scale;
    variance[j] = kernels::floored(variance[j] - r[j] * r[j], floor);
  }
  for (std::size_t f = 0; f < pass.normals.size(); ++f) {
    double* __restrict mean = pass.field->mean_row(p, f);
    for (std::size_t j = 0; j < panel_width; ++j) mean[j] += r[j] * pass.normals[f];
  }
}

}  // namespace

std::unique_ptr<CpuField> sweep_candidates(ScratchPool& scratch, const CpuFactor& factor,
                                           const CpuCandidates& candidates, bool with_variance, Affine units) {
  auto field = std::make_unique<CpuField>(candidates.size(), with_variance);
  const GpParameters& parameters = factor.parameters();
  const std::size_t rows = factor.observed();
  const std::size_t coordinates = candidates.columns() * panel_width;
  const std::vector<double> weights = with_variance ? std::vector<double>() : factor.weights();
  const double floor = kernels::variance_floor(parameters.signal_variance, static_cast<double>(rows));
  candidates.for_each_panel(1, [&](std::size_t, std::size_t p) {
    const ScratchPool::Lease lease = scratch.borrow(coordinates + (with_variance ? rows * panel_width : 0));
    const PointColumns panel = scale_panel(candidates.panel(p), parameters.inverse_lengthscales, lease.data());
    double* mean = field->mean_row(p, 0);
    if (with_variance) {
      double* variance = field->variance_row(p);
      solve_panel(factor, panel, lease.data() + coordinates, mean, variance);
      for (std::size_t j = 0; j < panel_width; ++j)
        variance[j] = units.scale * units.scale * kernels::floored(parameters.signal_variance - variance[j], floor);
    } else {
      add_weighted_covariances(factor.points(), rows, panel, parameters.signal_variance, weights.data(), mean);
    }
    for (std::size_t j = 0; j < panel_width; ++j) mean[j] = units.shift + units.scale * (parameters.mean + mean[j]);
  });
  return field;
}

void apply_fantasies(ScratchPool& scratch, const CpuCandidates& candidates, std::span<const FantasyPass> passes) {
  candidates.for_each_panel(passes.size(), [&](std::size_t which, std::size_t p) {
    const FantasyPass& pass = passes[which];
    const ScratchPool::Lease lease = scratch.borrow(candidates.columns() * panel_width);
    const std::span<const double> inverse_lengthscales = pass.factor->parameters().inverse_lengthscales;
    apply_fantasy(pass, p, scale_panel(candidates.panel(p), inverse_lengthscales, lease.data()));
  });
}

}  // namespace carbo::internal
