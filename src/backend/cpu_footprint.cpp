#include <algorithm>

#include "backend/cpu_sizes.hpp"
#include "backend/factor_room.hpp"
#include "backend/footprint.hpp"

namespace carbo::internal {
namespace {

/// Covariances and the inverse of their factor, whose rows are padded, and rows of their inverse.
double likelihood_bytes(const MemoryRequest& request, std::size_t rows) {
  const std::size_t numbers = 2 * rows + std::min(rows, cholesky_block) + request.columns;
  return static_cast<double>(rows + most_row_padding) * static_cast<double>(numbers) * double_bytes;
}

/// As told, as learned from and as known to the candidates; and what every GP keeps of it. Measured, with a quarter
/// more for vectors that grow.
std::size_t observation_bytes(const MemoryRequest& request) {
  const std::size_t gps = 1 + request.cost_factors;
  return 560 + double_bytes * (6 * request.parameters + 2 * request.columns + gps * (3 * request.columns + 5));
}

/// A factor: its means, the variance in two parts, rows solved, whether it is exact, bounds on responses. All: log
/// cost with what is added to it and its variance, version, bound and the lists that a pick works through.
std::size_t host_posterior_bytes(const MemoryRequest& request) {
  const std::size_t means = std::max<std::size_t>(1, request.fantasies / request.factors);
  return request.factors * (double_bytes * (means + 5) + 5) + double_bytes * 4 + 5 + 4 + 40;
}

/// A panel's covariances.
std::size_t thread_bytes(const MemoryRequest& request, std::size_t rows) {
  const std::size_t panel_rows =
      rows + request.columns + 2 * request.fantasies + std::min(responses_at_once, request.batch) + 8;
  return double_bytes * panel_rows * panel_width;
}

class CpuFootprint final : public Footprint {
 public:
  MemoryLayout layout(const MemoryRequest& request, const ModelRows& model) const override {
    const std::size_t rows = model.all;
    MemoryLayout layout;
    layout.observations = (request.observations + request.copies) * observation_bytes(request);
    layout.models = whole_bytes(factors_bytes(request, rows));
    layout.likelihood = whole_bytes(likelihood_bytes(request, rows));
    const double small = likelihood_bytes(request, std::min(rows, rows_worth_threads));
    layout.fit = std::max(layout.likelihood, whole_bytes(planned_threads * small));
    layout.thread = thread_bytes(request, rows);
    // Configurations, their encodings and features, and the panels made of these; row number, mask, distance.
    layout.candidate = double_bytes * (request.parameters + 2 * request.columns + 2 * request.features + 2) + 2;
    layout.posterior = host_posterior_bytes(request);
    return layout;
  }
};

}  // namespace

const Footprint& cpu_footprint() {
  static const CpuFootprint footprint;
  return footprint;
}

}  // namespace carbo::internal
