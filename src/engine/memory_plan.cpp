#include <carbo/memory_plan.hpp>

#include <algorithm>
#include <cmath>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo {
namespace {

using internal::text;

constexpr std::size_t number = sizeof(double);
constexpr std::size_t smallest_tile = 4096;
/// A streamed tile needs no more than this to keep all threads busy.
constexpr std::size_t largest_streamed_tile = std::size_t{1} << 18;
/// Candidates of a panel, which every thread works on at a time, and responses to fantasised points made together.
constexpr std::size_t panel = 264;
constexpr std::size_t responses = 256;
/// Candidates that the device brings up to date together, and the workspaces of its libraries.
constexpr std::size_t device_panel = 4096;
constexpr std::size_t device_library_bytes = std::size_t{16} << 20;

/// Blocks of device memory are rounded up by at most an eighth.
constexpr std::size_t device_block(std::size_t bytes) { return (9 * bytes + 7) / 8; }

/// What a backend keeps, in bytes.
struct Layout {
  std::size_t models = 0;
  std::size_t scratch = 0;
  std::size_t candidate = 0;  ///< a candidate
  std::size_t posterior = 0;  ///< a candidate
  std::size_t ahead = 0;      ///< a candidate, of the tile that is on its way while another is searched

  std::size_t fixed() const { return models + scratch; }
  std::size_t each() const { return candidate + posterior; }
  std::size_t each_streamed() const { return each() + ahead; }
};

/// Bytes of models as a size: reckoned in double, because batches of millions pass what 64 bits hold.
std::size_t whole_bytes(double bytes) {
  constexpr double most = 0x1p60;
  return static_cast<std::size_t>(std::min(bytes, most));
}

/// Factors have spare rows and columns: an eighth, and a quarter more once they have grown.
double factor_bytes(std::size_t rows) {
  const double capacity = 1.41 * static_cast<double>(rows) + 80.0;
  return std::floor(capacity * capacity) * number;
}

/// Both models' factors, the cost's once more where timeouts are imputed, and the weights of responses.
double fitted_bytes(const MemoryRequest& request) {
  const std::size_t rows = request.observations + request.batch;
  const auto factors = static_cast<double>(request.factors);
  return (factors + 2.0 * static_cast<double>(request.cost_factors)) * factor_bytes(rows) +
         factors * static_cast<double>(request.batch) * static_cast<double>(rows) * number;
}

/// A factor: its means, the variance in two parts, rows solved. All: log cost with its variance, version, bound and
/// the lists that a pick works through.
std::size_t host_posterior_bytes(const MemoryRequest& request) {
  const std::size_t means = std::max<std::size_t>(1, request.fantasies / request.factors);
  return request.factors * (number * (means + 2) + 4) + number * 3 + 4 + 4 + 40;
}

Layout host_layout(const MemoryRequest& request) {
  Layout layout;
  // A fit holds two matrices a thread.
  layout.models = whole_bytes(fitted_bytes(request) +
                              2.0 * static_cast<double>(request.threads) * factor_bytes(request.observations));
  const std::size_t rows =
      request.observations + request.columns + 2 * request.fantasies + std::min(responses, request.batch) + 8;
  layout.scratch = request.threads * rows * panel * number;
  // Configurations, their encodings and features, and the panels made of these; row number, mask, distance.
  layout.candidate = number * (request.parameters + 2 * request.columns + 2 * request.features + 2) + 2;
  layout.posterior = host_posterior_bytes(request);
  return layout;
}

/// Searching: means of every fantasy; a factor's variance in two parts, version and rows solved; log cost, its
/// variance and rows solved; ceiling, two lists and a flag. The race: log cost and two orders, sorted out of place.
std::size_t device_posterior_bytes(const MemoryRequest& request) {
  const std::size_t search =
      number * request.fantasies + request.factors * (2 * number + 4 + 4) + 2 * number + 4 + number + 4 + 4 + 1;
  const std::size_t race = number + 4 * (number + 4);
  return std::max(search, race);
}

/// Starts of a fit beyond this many rows see a subset of at most as many.
constexpr std::size_t most_rows_of_a_start = 320;

/// Matrices of all starts at once, or of the polish on all rows, whichever is more: covariances, factor, inverse.
double device_fit_bytes(const MemoryRequest& request) {
  const double problems = 1.0 + static_cast<double>(request.cost_factors);
  const std::size_t start_rows = std::min(request.observations, most_rows_of_a_start);
  return 3 * problems *
         std::max(static_cast<double>(request.restarts) * factor_bytes(start_rows),
                  factor_bytes(request.observations));
}

Layout device_layout(const MemoryRequest& request) {
  Layout layout;
  layout.models = device_block(whole_bytes(fitted_bytes(request) + device_fit_bytes(request)));
  layout.scratch = device_block(device_library_bytes +
                                2 * device_panel * number * (request.observations + request.batch + request.columns));
  // Coordinates and features, mask, distance to the design.
  layout.candidate = device_block(number * (request.columns + request.features) + 1 + number);
  layout.posterior = device_block(device_posterior_bytes(request));
  layout.ahead = layout.candidate;
  return layout;
}

Layout layout_of(const MemoryRequest& request) {
  return request.on_device ? device_layout(request) : host_layout(request);
}

std::string mebibytes(std::size_t bytes) {
  return text(std::ceil(static_cast<double>(bytes) / 104857.6) / 10.0, " MiB");
}

}  // namespace

std::size_t least_memory(const MemoryRequest& request) {
  const Layout layout = layout_of(request);
  if (request.candidates <= smallest_tile) return layout.fixed() + layout.each() * request.candidates;
  return layout.fixed() + layout.each_streamed() * smallest_tile;
}

MemoryPlan plan_memory(const MemoryRequest& request) {
  const Layout layout = layout_of(request);
  MemoryPlan plan;
  plan.candidates = request.candidates;
  plan.on_device = request.on_device;
  plan.model_bytes = layout.models;
  plan.scratch_bytes = layout.scratch;
  const std::size_t least = least_memory(request);
  if (request.budget < least) {
    throw InvalidOptions(text("backend.memory_bytes is ", request.budget, ", but ", request.observations,
                              " observations and a tile of ", smallest_tile, " candidates take ", least,
                              request.on_device ? " of device memory" : "", "; give at least that"));
  }
  const std::size_t room = request.budget - layout.fixed();
  plan.streamed = room / layout.each() < request.candidates;
  plan.tile = plan.sample = static_cast<std::size_t>(request.candidates);
  if (plan.streamed) {
    plan.sample = room / layout.each_streamed() / smallest_tile * smallest_tile;
    plan.tile = std::min(plan.sample, largest_streamed_tile);
  }
  plan.candidate_bytes = plan.tile * (layout.candidate + (plan.streamed ? layout.ahead : 0));
  plan.posterior_bytes = plan.tile * layout.posterior;
  return plan;
}

std::string MemoryPlan::describe() const {
  const std::string first = streamed ? text(candidates, " candidates, streamed in tiles of ", tile,
                                            ": made and scored anew for every pick, repeats not dropped\n")
                                     : text(candidates, " candidates, kept with their posterior from pick to pick\n");
  return first + text("  models        ", mebibytes(model_bytes), "\n  scratch       ", mebibytes(scratch_bytes),
                      "\n  candidates    ", mebibytes(candidate_bytes), "\n  posterior     ",
                      mebibytes(posterior_bytes), "\n  total         ", mebibytes(total_bytes()),
                      on_device ? " of device memory" : "",
                      "\n  covariances between observations and candidates are computed again, never kept\n");
}

}  // namespace carbo
