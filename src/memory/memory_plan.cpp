#include "memory/memory_plan.hpp"

#include <algorithm>
#include <cmath>

#include <carbo/error.hpp>

#include "gp/fit.hpp"
#include "support/text.hpp"

namespace carbo {
namespace internal {
namespace {

constexpr std::size_t smallest_tile = 4096;
/// A streamed tile needs no more than this to keep all threads busy.
constexpr std::size_t largest_streamed_tile = std::size_t{1} << 18;
/// Models of fewer points are not worth a run: below this the budget is refused.
constexpr std::size_t fewest_points = 64;
/// Where models learn from a subset, it leaves so much of the budget to candidates, or what all of them take.
constexpr std::size_t share_beside_a_subset = 4;
/// A sample of streamed candidates leaves room for the scratch of so many threads, up to this share of the budget.
constexpr std::size_t threads_beside_a_sample = 64;
constexpr std::size_t share_beside_a_sample = 8;

MemoryLayout layout_of(const Footprint& footprint, const MemoryRequest& request, std::size_t points) {
  return footprint.layout(request, {points, std::min(points, most_rows_of_a_start)});
}

/// Of all candidates, or of the smallest tile.
std::size_t all_candidates(const MemoryRequest& request, const MemoryLayout& layout) {
  return layout.each() * static_cast<std::size_t>(request.candidates);
}
std::size_t fewest_candidates(const MemoryRequest& request, const MemoryLayout& layout) {
  const bool all = !request.may_stream || request.candidates <= smallest_tile;
  return all ? all_candidates(request, layout) : layout.each_streamed() * smallest_tile;
}

std::size_t least_bytes(const Footprint& footprint, const MemoryRequest& request, std::size_t points) {
  const MemoryLayout layout = layout_of(footprint, request, points);
  return layout.fixed() + fewest_candidates(request, layout);
}

std::size_t most_points(const MemoryRequest& request) { return std::min(request.observations, request.max_points); }

/// All, or the largest number whose models fit beside the candidates that a subset leaves room for; at least as many
/// as `least_memory` counts with.
std::size_t points_that_fit(const Footprint& footprint, const MemoryRequest& request) {
  if (least_bytes(footprint, request, most_points(request)) <= request.budget) return most_points(request);
  const auto fit = [&](std::size_t points) {
    const MemoryLayout layout = layout_of(footprint, request, points);
    const std::size_t wanted = std::min(all_candidates(request, layout), request.budget / share_beside_a_subset);
    return layout.fixed() + std::max(wanted, fewest_candidates(request, layout)) <= request.budget;
  };
  std::size_t fits = std::min(most_points(request), fewest_points);
  for (std::size_t above = most_points(request); above - fits > 1;) {
    const std::size_t middle = fits + (above - fits) / 2;
    (fit(middle) ? fits : above) = middle;
  }
  return fits;
}

/// Bytes that are left to a sample of streamed candidates.
std::size_t room_for_sample(const MemoryRequest& request, const MemoryLayout& layout) {
  const std::size_t room = request.budget - layout.fixed();
  const std::size_t for_threads =
      std::min(request.budget / share_beside_a_sample, (threads_beside_a_sample - planned_threads) * layout.thread);
  return std::max(layout.each_streamed() * smallest_tile, room - std::min(room, for_threads));
}

/// What is left goes to threads first, then to likelihoods computed at once.
void use_spare(const MemoryRequest& request, const MemoryLayout& layout, std::size_t spare, MemoryPlan& plan) {
  plan.threads = std::min(request.threads, planned_threads);
  if (request.threads > planned_threads && layout.thread > 0)
    plan.threads += std::min(request.threads - planned_threads, spare / layout.thread);
  const std::size_t of_threads = std::max(plan.threads, planned_threads) * layout.thread;
  plan.scratch_bytes = layout.scratch + of_threads;
  spare -= of_threads - planned_threads * layout.thread;
  const std::size_t all_at_once = std::max(layout.fit, plan.threads * layout.likelihood);
  plan.fit_bytes = layout.fit + std::min(spare, all_at_once - layout.fit);
  plan.model_bytes = layout.models + plan.fit_bytes;
}

}  // namespace

std::size_t least_memory(const Footprint& footprint, const MemoryRequest& request) {
  return least_bytes(footprint, request, std::min(most_points(request), fewest_points));
}

MemoryPlan plan_memory(const Footprint& footprint, const MemoryRequest& request) {
  const std::size_t least = least_memory(footprint, request);
  if (request.budget < least) {
    throw InvalidOptions(
        text("backend.memory_bytes is ", request.budget, ", but ", request.observations + request.copies,
             " observations, models of ", std::min(most_points(request), fewest_points), " points and ",
             request.may_stream ? "a tile of " : "", request.may_stream ? smallest_tile : request.candidates,
             " candidates take ", least, request.on_device ? " of device memory" : "", "; give at least that"));
  }
  MemoryPlan plan;
  plan.candidates = request.candidates;
  plan.on_device = request.on_device;
  plan.points = request.observations;
  plan.model_points = points_that_fit(footprint, request);
  const MemoryLayout layout = layout_of(footprint, request, plan.model_points);
  plan.observation_bytes = layout.observations;
  const std::size_t room = request.budget - layout.fixed();
  plan.streamed = room / layout.each() < request.candidates;
  plan.tile = plan.sample = static_cast<std::size_t>(request.candidates);
  if (plan.streamed) {
    plan.sample = room_for_sample(request, layout) / layout.each_streamed() / smallest_tile * smallest_tile;
    plan.tile = std::min(plan.sample, largest_streamed_tile);
  }
  plan.candidate_bytes = plan.tile * (layout.candidate + (plan.streamed ? layout.ahead : 0));
  plan.posterior_bytes = plan.tile * layout.posterior;
  const std::size_t held = plan.sample * (plan.streamed ? layout.each_streamed() : layout.each());
  use_spare(request, layout, room - held, plan);
  return plan;
}

}  // namespace internal

namespace {

using internal::text;

const internal::Footprint& footprint_of(const MemoryRequest& request) {
  return request.on_device ? internal::cuda_footprint() : internal::cpu_footprint();
}

std::string mebibytes(std::size_t bytes) {
  return text(std::ceil(static_cast<double>(bytes) / 104857.6) / 10.0, " MiB");
}

}  // namespace

std::size_t least_memory(const MemoryRequest& request) {
  return internal::least_memory(footprint_of(request), request);
}

MemoryPlan plan_memory(const MemoryRequest& request) { return internal::plan_memory(footprint_of(request), request); }

std::string MemoryPlan::describe() const {
  const std::string first = streamed ? text(candidates, " candidates, streamed in tiles of ", tile,
                                            ": made and scored anew for every pick, repeats not dropped\n")
                                     : text(candidates, " candidates, kept with their posterior from pick to pick\n");
  const std::string subset = model_points == points
                                 ? ""
                                 : text(points, " points observed; models keep ", model_points,
                                        " of them: the best, the latest and a spread of the others; means learn from "
                                        "up to eight times as many others beside\n");
  return first + subset +
         text("  observations  ", mebibytes(observation_bytes), "\n  models        ", mebibytes(model_bytes),
              "\n  scratch       ", mebibytes(scratch_bytes), "\n  candidates    ", mebibytes(candidate_bytes),
              "\n  posterior     ", mebibytes(posterior_bytes), "\n  total         ", mebibytes(total_bytes()),
              on_device ? " of device memory" : "",
              "\n  covariances between observations and candidates are computed again, never kept\n");
}

}  // namespace carbo
