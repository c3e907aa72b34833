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

/// Factors have spare rows and columns: an eighth, and a quarter more once they have grown.
std::size_t factor_bytes(std::size_t rows) {
  const double capacity = 1.41 * static_cast<double>(rows) + 80.0;
  return static_cast<std::size_t>(capacity * capacity) * number;
}

/// Both models' factors, the cost's once more where timeouts are imputed; a fit holds two matrices a thread; the
/// weights of responses.
std::size_t model_bytes(const MemoryRequest& request) {
  const std::size_t rows = request.observations + request.batch;
  const std::size_t fit = 2 * request.threads * factor_bytes(request.observations);
  return (request.factors + 2 * request.cost_factors) * factor_bytes(rows) + fit +
         request.factors * request.batch * rows * number;
}

std::size_t scratch_bytes(const MemoryRequest& request) {
  const std::size_t rows =
      request.observations + request.columns + 2 * request.fantasies + std::min(responses, request.batch) + 8;
  return request.threads * rows * panel * number;
}

/// Configurations, their encodings and features, and the panels made of these; row number, mask, distance to the
/// design.
std::size_t candidate_bytes_each(const MemoryRequest& request) {
  return number * (request.parameters + 2 * request.columns + 2 * request.features + 2) + 2;
}

/// A factor: its means, the variance in two parts, rows solved. All: log cost with its variance, version, bound and
/// the lists that a pick works through.
std::size_t posterior_bytes_each(const MemoryRequest& request) {
  const std::size_t means = std::max<std::size_t>(1, request.fantasies / request.factors);
  return request.factors * (number * (means + 2) + 4) + number * 3 + 4 + 4 + 40;
}

std::string mebibytes(std::size_t bytes) {
  return text(std::ceil(static_cast<double>(bytes) / 104857.6) / 10.0, " MiB");
}

}  // namespace

std::size_t least_memory(const MemoryRequest& request) {
  const std::size_t each = candidate_bytes_each(request) + posterior_bytes_each(request);
  return model_bytes(request) + scratch_bytes(request) +
         each * std::min<std::uint64_t>(smallest_tile, request.candidates);
}

MemoryPlan plan_memory(const MemoryRequest& request) {
  MemoryPlan plan;
  plan.candidates = request.candidates;
  plan.model_bytes = model_bytes(request);
  plan.scratch_bytes = scratch_bytes(request);
  const std::size_t each = candidate_bytes_each(request) + posterior_bytes_each(request);
  const std::size_t fixed = plan.model_bytes + plan.scratch_bytes;
  const std::size_t least = least_memory(request);
  if (request.budget < least) {
    throw InvalidOptions(text("backend.memory_bytes is ", request.budget, ", but ", request.observations,
                              " observations and a tile of ", smallest_tile, " candidates take ", least,
                              "; give at least that"));
  }
  const std::uint64_t fitting = (request.budget - fixed) / each;
  plan.streamed = fitting < request.candidates;
  plan.tile = plan.sample = static_cast<std::size_t>(request.candidates);
  if (plan.streamed) {
    plan.sample = static_cast<std::size_t>(fitting) / smallest_tile * smallest_tile;
    plan.tile = std::min(plan.sample, largest_streamed_tile);
  }
  plan.candidate_bytes = plan.tile * candidate_bytes_each(request);
  plan.posterior_bytes = plan.tile * posterior_bytes_each(request);
  return plan;
}

std::string MemoryPlan::describe() const {
  const std::string first = streamed ? text(candidates, " candidates, streamed in tiles of ", tile,
                                            ": made and scored anew for every pick, repeats not dropped\n")
                                     : text(candidates, " candidates, kept with their posterior from pick to pick\n");
  return first + text("  models        ", mebibytes(model_bytes), "\n  scratch       ", mebibytes(scratch_bytes),
                      "\n  candidates    ", mebibytes(candidate_bytes), "\n  posterior     ",
                      mebibytes(posterior_bytes), "\n  total         ", mebibytes(total_bytes()),
                      "\n  covariances between observations and candidates are computed again, never kept\n");
}

}  // namespace carbo
