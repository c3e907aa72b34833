#include "backend/cpu/sweep.hpp"

#include "backend/cpu/panel.hpp"
#include "formulas/variance_floor.hpp"

namespace carbo::internal {

std::unique_ptr<CpuField> sweep_candidates(ScratchPool& scratch, const CpuFactor& factor,
                                           const CpuCandidates& candidates, bool with_variance, Affine units,
                                           const CpuField* offset) {
  auto field = std::make_unique<CpuField>(candidates.size(), with_variance);
  const GpParameters& parameters = factor.parameters();
  const std::size_t rows = factor.observed();
  const std::size_t solved_rows = with_variance ? rows : 0;
  const std::size_t coordinates = candidates.columns() * panel_width;
  const std::vector<double> weights = factor.weights();
  const double squared_scale = units.scale * units.scale;
  field->set_floor(squared_scale * kernels::variance_floor(parameters.signal_variance, static_cast<double>(rows)));
  candidates.for_each_panel(1, [&](std::size_t, std::size_t p) {
    const ScratchPool::Lease lease = scratch.borrow(coordinates + solve_room(solved_rows));
    const PointColumns panel = scale_panel(candidates.panel(p), parameters.inverse_lengthscales, lease.data());
    double* mean = field->mean_row(p, 0);
    double* base = with_variance ? field->base_row(p) : nullptr;
    mean_and_explained(factor, panel, panel_width, weights, solved_rows, lease.data() + coordinates, mean, base);
    to_units(units, offset != nullptr ? offset->mean_row(p, 0) : nullptr, panel_width, mean);
    if (!with_variance) return;
    for (std::size_t j = 0; j < panel_width; ++j) base[j] = squared_scale * (parameters.signal_variance - base[j]);
  });
  return field;
}

void apply_fantasies(ScratchPool& scratch, const CpuCandidates& candidates, std::span<const FantasyPass> passes) {
  for (const FantasyPass& pass : passes) {
    const double rows = static_cast<double>(pass.factor->rows());
    pass.field->set_floor(kernels::variance_floor(pass.factor->parameters().signal_variance, rows));
  }
  candidates.for_each_panel(passes.size(), [&](std::size_t which, std::size_t p) {
    const FantasyPass& pass = passes[which];
    const ScratchPool::Lease lease = scratch.borrow(candidates.columns() * panel_width);
    const std::span<const double> inverse_lengthscales = pass.factor->parameters().inverse_lengthscales;
    const PointColumns panel = scale_panel(candidates.panel(p), inverse_lengthscales, lease.data());
    alignas(64) double response[1][panel_width];
    const std::size_t last = pass.factor->fantasised();
    responses(*pass.factor, last - 1, last, panel, panel_width, response);
    apply_response(pass.factor->fantasies().back(), response[0], panel_width, pass.field->mean_row(p, 0),
                   pass.field->reduction_row(p));
  });
}

}  // namespace carbo::internal
