#include "backend/search_backend.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace carbo::internal {
namespace {

/// Bounds are taken so many picks ahead: further, they loosen more than a pass of bounds costs.
constexpr std::size_t most_picks_ahead = 4;

/// Of the points that are fantasised from pick `next` on.
std::vector<double> normals_ahead(const BatchRequest& request, std::size_t next) {
  std::vector<double> normals;
  for (std::size_t k = next; k < std::min(request.count - 1, next + most_picks_ahead); ++k) {
    const std::vector<double> own = request.normals(k);
    normals.insert(normals.end(), own.begin(), own.end());
  }
  return normals;
}

}  // namespace

std::vector<double> Search::fantasise_all(MatrixView points, std::span<const double> normals) {
  const std::size_t each = points.rows == 0 ? 0 : normals.size() / points.rows;
  std::vector<double> values;
  for (std::size_t i = 0; i < points.rows; ++i) {
    const std::vector<double> own = fantasise(points.row(i), normals.subspan(i * each, each));
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

std::vector<Scored> Search::top_with(const SearchRequest& request, std::size_t count,
                                     const kernels::AcquisitionSpec& other, Scored& beside) {
  // In this order: what the last call learned of all candidates serves the next pick.
  const std::vector<Scored> under_other = top(request.under(other), 1);
  beside = under_other.empty() ? Scored{} : under_other.front();
  return top(request, count);
}

double SearchWork::screened_share() const {
  return means == 0 ? 0.0 : static_cast<double>(screened) / static_cast<double>(means);
}

BatchEnd Search::pick(const BatchRequest& request) {
  SearchWork before = work();
  kernels::AcquisitionSpec acquisition = request.acquisition;
  for (std::size_t k = 0; k < request.count; ++k) {
    if (available() == 0) return BatchEnd::exhausted;
    const std::vector<double> incumbents = request.incumbents->now();
    const std::vector<double> ahead = normals_ahead(request, k);
    SearchRequest next;
    next.incumbents = incumbents;
    if (k >= request.together) acquisition.round_log_cost = -std::numeric_limits<double>::infinity();
    next.acquisition = acquisition;
    next.log_cost_limit = request.limit.now();
    next.normals_ahead = ahead;
    next.picks_left = request.count - 1 - k;
    const std::size_t wanted = request.with_runner_up ? 2 : 1;
    const bool asked = k == 0 && request.beside;
    const bool apart = asked && *request.beside != request.acquisition;
    Scored beside;
    const std::vector<Scored> best = apart ? top_with(next, wanted, *request.beside, beside) : top(next, wanted);
    if (best.empty()) return available() == 0 ? BatchEnd::exhausted : BatchEnd::refused;
    if (asked && !request.go_on(apart ? beside : best.front())) return BatchEnd::stopped;
    const SearchWork after = work();
    PickedRow picked{best.front()};
    picked.incumbent =
        std::accumulate(incumbents.begin(), incumbents.end(), 0.0) / static_cast<double>(incumbents.size());
    if (best.size() > 1) picked.runner_up_score = best[1].score;
    picked.available = available();
    picked.finished = after.finished - before.finished;
    picked.refreshed = after.refreshed - before.refreshed;
    picked.screened_share = after.screened_share();
    before = after;
    if (k + 1 < request.together) {
      acquisition.round_log_cost = std::max(acquisition.round_log_cost, log_cost(picked.best.index));
      ++acquisition.waiting;
    }
    const std::span<const double> point = request.take(picked);
    if (k + 1 < request.count) request.incumbents->add(fantasise(point, request.normals(k)));
  }
  return BatchEnd::complete;
}

}  // namespace carbo::internal
