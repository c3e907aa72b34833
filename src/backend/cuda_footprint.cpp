#include <algorithm>

#include "backend/cuda_sizes.hpp"
#include "backend/factor_room.hpp"
#include "backend/footprint.hpp"

namespace carbo::internal {
namespace {

/// Candidates that the device brings up to date together.
constexpr std::size_t device_panel = 4096;
/// Workspaces of its libraries: cuBLAS's, and what cuSOLVER asks for.
constexpr std::size_t device_library_bytes = 4 * blas_workspace_bytes;

/// The block that as many bytes get, at most: see block_parts.
constexpr std::size_t device_block(std::size_t bytes) {
  return ((block_parts + 1) * bytes + block_parts - 1) / block_parts;
}

/// Searching: means of every fantasy; a factor's variance in two parts, version and rows solved; log cost, what is
/// added to it, its variance and rows solved; mask of a batch, ceiling and two lists. The race: log cost and two
/// orders, sorted out of place.
std::size_t device_posterior_bytes(const MemoryRequest& request) {
  const std::size_t search = double_bytes * request.fantasies + request.factors * (2 * double_bytes + 4 + 4) +
                             3 * double_bytes + 4 + 1 + double_bytes + 4 + 4;
  const std::size_t race = double_bytes + 4 * (double_bytes + 4);
  return std::max(search, race);
}

/// Matrices of all starts at once, or of the polish on all rows, whichever is more: covariances, factor, inverse.
double device_fit_bytes(const MemoryRequest& request, const ModelRows& rows) {
  const double problems = 1.0 + static_cast<double>(request.cost_factors);
  return 3 * problems *
         std::max(static_cast<double>(request.restarts) * factor_bytes(rows.of_a_start, 0),
                  factor_bytes(rows.all, 0));
}

class CudaFootprint final : public Footprint {
 public:
  MemoryLayout layout(const MemoryRequest& request, const ModelRows& rows) const override {
    MemoryLayout layout;
    layout.models = device_block(whole_bytes(factors_bytes(request, rows.all)));
    layout.fit = device_block(whole_bytes(device_fit_bytes(request, rows)));
    layout.scratch = device_block(device_library_bytes +
                                  2 * device_panel * double_bytes * (rows.all + request.batch + request.columns));
    // Coordinates and features, mask, distance to the design.
    layout.candidate = device_block(double_bytes * (request.columns + request.features) + 1 + double_bytes);
    layout.posterior = device_block(device_posterior_bytes(request));
    layout.ahead = layout.candidate;
    return layout;
  }
};

}  // namespace

const Footprint& cuda_footprint() {
  static const CudaFootprint footprint;
  return footprint;
}

}  // namespace carbo::internal
