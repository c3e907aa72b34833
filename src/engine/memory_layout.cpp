#include "engine/memory_layout.hpp"

#include <algorithm>
#include <cmath>

namespace carbo::internal {
namespace {

constexpr std::size_t number = sizeof(double);
/// Candidates of a panel, which every thread works on at a time, and responses to fantasised points made together.
constexpr std::size_t panel = 264;
constexpr std::size_t responses = 256;
/// Rows that a product of matrices is cut into, and what it keeps of either side at once.
constexpr std::size_t product_depth = 384;
constexpr std::size_t product_width = 512;
/// Likelihoods of fewer rows are computed one a thread, those of more one after the other.
constexpr std::size_t rows_a_thread = 256;
/// Candidates that the device brings up to date together, and the workspaces of its libraries.
constexpr std::size_t device_panel = 4096;
constexpr std::size_t device_library_bytes = std::size_t{16} << 20;
/// Points left out of a model that its mean learns from at most, for each one that is kept.
constexpr std::size_t left_out_a_row = 8;
/// Starts of a fit beyond this many rows see a subset of at most as many.
constexpr std::size_t most_rows_of_a_start = 320;

/// Blocks of device memory are rounded up by at most an eighth.
constexpr std::size_t device_block(std::size_t bytes) { return (9 * bytes + 7) / 8; }

/// Bytes of models as a size: reckoned in double, because batches of millions pass what 64 bits hold.
std::size_t whole_bytes(double bytes) {
  constexpr double most = 0x1p60;
  return static_cast<std::size_t>(std::min(bytes, most));
}

double square_bytes(double rows) { return rows * rows * number; }

/// Factors have spare rows and columns: an eighth of those that they were made with, and a quarter more once these
/// are used up.
double factor_bytes(std::size_t rows, std::size_t batch) {
  const double made = static_cast<double>(rows + std::max<std::size_t>(64, rows / 8));
  const double grown = 1.25 * (static_cast<double>(rows) + static_cast<double>(batch));
  return square_bytes(std::max(made, grown) + 8);
}

/// Points left out of models of so many rows: what each factor has of them, and what learning from them takes beside
/// (copies by coordinate and in blocks, weights, residuals, directions).
double left_out_bytes(const MemoryRequest& request, std::size_t rows, std::size_t factors) {
  if (request.observations <= rows) return 0;
  const std::size_t points = std::min(request.observations - rows, left_out_a_row * rows);
  const std::size_t numbers =
      factors * (request.columns + 1) + (1 + request.cost_factors) * (4 * request.columns + 16);
  return static_cast<double>(points) * static_cast<double>(numbers * number);
}

/// Of both models, the cost's once more where timeouts are imputed, those of fantasies with hyperparameters of their
/// own, and one that is made while the last one still stands; the weights of responses, and what is left out.
double factors_bytes(const MemoryRequest& request, std::size_t rows) {
  const std::size_t of_cost = request.cost_factors + (request.cost_factors > 0 ? 1 : 0);
  const std::size_t of_fantasies = request.factors > 1 ? request.factors : 0;
  const std::size_t factors = 2 + of_cost + of_fantasies;
  const double weights = static_cast<double>(request.factors) * static_cast<double>(request.batch) *
                         static_cast<double>(rows + request.batch) * number;
  return static_cast<double>(factors) * factor_bytes(rows, request.batch) + weights +
         left_out_bytes(request, rows, factors);
}

/// Covariances and their inverse.
double likelihood_bytes(const MemoryRequest& request, std::size_t rows) {
  return static_cast<double>(rows + 8) * static_cast<double>(2 * rows + request.columns) * number;
}

/// As told, as learned from and as known to the candidates; and what every GP keeps of it. Measured, with a quarter
/// more for vectors that grow.
std::size_t observation_bytes(const MemoryRequest& request) {
  const std::size_t gps = 1 + request.cost_factors;
  return 560 + number * (6 * request.parameters + 2 * request.columns + gps * (3 * request.columns + 5));
}

/// A factor: its means, the variance in two parts, rows solved. All: log cost with its variance, version, bound and
/// the lists that a pick works through.
std::size_t host_posterior_bytes(const MemoryRequest& request) {
  const std::size_t means = std::max<std::size_t>(1, request.fantasies / request.factors);
  return request.factors * (number * (means + 2) + 4) + number * 3 + 4 + 4 + 40;
}

/// A panel's covariances, and the blocks of a product.
std::size_t thread_bytes(const MemoryRequest& request, std::size_t rows) {
  const std::size_t panel_rows =
      rows + request.columns + 2 * request.fantasies + std::min(responses, request.batch) + 8;
  return number * (panel_rows * panel + std::min(rows, product_depth) * product_width);
}

MemoryLayout host_layout(const MemoryRequest& request, std::size_t rows) {
  MemoryLayout layout;
  layout.observations = (request.observations + request.copies) * observation_bytes(request);
  layout.models = whole_bytes(factors_bytes(request, rows));
  layout.likelihood = whole_bytes(likelihood_bytes(request, rows));
  const double small = likelihood_bytes(request, std::min(rows, rows_a_thread));
  layout.fit = std::max(layout.likelihood, whole_bytes(planned_threads * small));
  layout.thread = thread_bytes(request, rows);
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

/// Matrices of all starts at once, or of the polish on all rows, whichever is more: covariances, factor, inverse.
double device_fit_bytes(const MemoryRequest& request, std::size_t rows) {
  const double problems = 1.0 + static_cast<double>(request.cost_factors);
  const std::size_t start_rows = std::min(rows, most_rows_of_a_start);
  return 3 * problems *
         std::max(static_cast<double>(request.restarts) * factor_bytes(start_rows, 0), factor_bytes(rows, 0));
}

MemoryLayout device_layout(const MemoryRequest& request, std::size_t rows) {
  MemoryLayout layout;
  layout.models = device_block(whole_bytes(factors_bytes(request, rows)));
  layout.fit = device_block(whole_bytes(device_fit_bytes(request, rows)));
  layout.scratch =
      device_block(device_library_bytes + 2 * device_panel * number * (rows + request.batch + request.columns));
  // Coordinates and features, mask, distance to the design.
  layout.candidate = device_block(number * (request.columns + request.features) + 1 + number);
  layout.posterior = device_block(device_posterior_bytes(request));
  layout.ahead = layout.candidate;
  return layout;
}

}  // namespace

MemoryLayout memory_layout(const MemoryRequest& request, std::size_t rows) {
  return request.on_device ? device_layout(request, rows) : host_layout(request, rows);
}

}  // namespace carbo::internal
