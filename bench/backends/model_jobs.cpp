#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bench/backends/model.hpp"
#include "bench/backends/model_search.hpp"

namespace carbo::bench {

namespace {

using namespace device_work;

double aligned(double bytes) { return std::ceil(bytes / 256) * 256; }

// Likelihoods of all restarts of both GPs, as one chunk: each GP has points and targets of its own.
std::vector<StageWork> fit_stages(const JobSizes& sizes) {
  constexpr double gps = 2, panel = 128, task = 104, gram_task = 72, scale_task = 40, result_head = 7;
  const auto [n, m, d] = shape_of(sizes);
  const double count = gps * static_cast<double>(sizes.restarts), panels = std::ceil(n / panel);
  const double tables = aligned(count * task) + aligned(count * gram_task) + aligned(count * scale_task) +
                        aligned(count * (1 + 2 * panels) * sizeof(double*));
  const double data =
      gps * (aligned(number_bytes * n * d) + aligned(number_bytes * n)) + count * aligned(number_bytes * d);
  StageWork inverse = stage("inverses of L", {right_sides(n, count)});
  StageWork product = stage("inverses of K", {whitened(n, count)});
  for (double first = 0; first < n; first += panel) {
    const double width = std::min(panel, n - first);
    inverse += triangle_solved(n - first, width + (first == 0 ? 2 : 0), count);
    product += multiplied(width, 1 + first + width, n - first, count);
  }
  return {stage("kernel matrices", {uploaded(tables + data), scaled_points(n, d, count), gram(n, d, count)}),
          stage("Cholesky", {factorised(n, count)}), std::move(inverse), std::move(product),
          stage("gradients", {gradient(n, d, count), downloaded(number_bytes * count * (result_head + d))})};
}

std::vector<StageWork> dense_stages(const JobSizes& sizes) {
  const Shape s = shape_of(sizes);
  constexpr double member = 48, scores_at_once = 1 << 20;
  const double parts = std::ceil(s.m / scores_at_once);
  StageWork all = stage("scores", {uploaded(member + number_bytes), scores(s.m, {})});
  all.launches = parts;
  for (double first = 0; first < s.m; first += scores_at_once)
    all += downloaded(number_bytes * std::min(scores_at_once, s.m - first));
  return {stage("objective's means", {sweep_tables(true), mean_pass(s)}),
          stage("objective's variances", {substitution(s, s.n, std::ceil(s.m / tile), s.m, {1, 0})}),
          stage("log cost's means", {sweep_tables(false), mean_pass(s)}), std::move(all)};
}

std::vector<StageWork> append_stages(const JobSizes& sizes) {
  constexpr double task = 288;
  const Shape s = shape_of(sizes);
  const double means = static_cast<double>(sizes.fantasies);
  StageWork respond = responses(s, {}, std::ceil(s.m / response_lanes), s.m, means, {1, std::ceil(s.m / tile)});
  return {stage("fantasised row", {uploaded(number_bytes * s.d), fantasy_tables(1, {1, means}),
                                   fantasised_rows(s, {1, means}), downloaded(number_bytes * means)}),
          stage("responses of all", {uploaded(task), respond, downloaded(number_bytes), downloaded(number_bytes)})};
}

std::vector<StageWork> design_stages(const JobSizes& sizes) {
  const Shape s = shape_of(sizes);
  const auto kernel = [](double bytes) {
    return StageWork{.stage = {}, .bytes = bytes, .launches = 1, .requested_bytes = bytes};
  };
  const StageWork entrants = kernel((2 + number_bytes) * s.m),
                  keys = kernel((number_bytes + 4 + 4 + number_bytes) * s.m);
  const StageWork ranks = kernel(4 * s.m), inverse = kernel(8 * s.m), places = kernel(20 * s.m);
  StageWork orders =
      stage("orders by cost and by distance", {2 * ranks, 4 * keys, 4 * sorted(s.m), 2 * inverse, 2 * places});
  orders.flops += 4 * s.m;
  orders.slots += 4 * s.m;
  return {stage("distances", {uploaded(number_bytes * s.d), nearest(s.m, s.d)}),
          stage("entrants", {entrants, selected(s.m, s.m), downloaded(number_bytes)}), std::move(orders),
          stage("places to the host",
                {downloaded(number_bytes * s.m), downloaded(4), uploaded(number_bytes), kernel(9)})};
}

/// Candidates as `CandidateOptions` has them by default: a share of them round the best, made on the host.
StageWork candidate_stage(const Shape& s) {
  constexpr double local_share = 0.4, axis = 216, part_elements = 1 << 17;
  const double local = std::floor(local_share * s.m + 0.5), points = s.m - local;
  const double parts = std::ceil(local / std::floor(part_elements / s.d));
  StageWork work = stage("candidates", {uploaded(axis * s.d + number_bytes * local * s.d)});
  work.flops = points * s.d * (8 + operations_per_division);
  work.slots = points * s.d * (8 + operations_per_division / 2);
  work.bytes = number_bytes * (points * s.d + 2 * local * s.d + s.m) + s.m;
  work.requested_bytes = (number_bytes + 88) * points * s.d + number_bytes * (2 * local * s.d + s.m);
  work.launches = 2 + parts;  // Sobol points, distances, rows turned into columns
  work.waits = parts;
  return work;
}

/// Both models' predictions of the batch, for its receipts.
StageWork receipt_stage(const Shape& s, double b) {
  constexpr double gps = 2;
  StageWork one =
      stage("", {uploaded(number_bytes * b * s.d), triangle_solved(s.n, b, 1), downloaded(2 * number_bytes * b)});
  one.flops += b * s.n * (3 * s.d + 42 + 14);
  one.slots += b * s.n * (2 * s.d + 35);
  one.bytes += number_bytes * 3 * b * s.n;
  one.requested_bytes += number_bytes * b * s.n * (s.d + 5);
  one.launches += 2;
  return stage("receipts", {gps * one});
}

}  // namespace

std::vector<StageWork> modelled_work(Job job, const JobSizes& sizes, const PickShares& shares) {
  const double b = static_cast<double>(sizes.b);
  JobSizes shared = sizes;
  shared.batched = false;
  switch (job) {
    case Job::fit:
      return fit_stages(sizes);
    case Job::dense:
      return dense_stages(sizes);
    case Job::pick:
      shared.fantasies = 1;
      return pick_stages(batch_of(shared, shares, 1));
    case Job::batch:
      return batch_stages(batch_of(sizes, shares, b));
    case Job::append:
      return append_stages(sizes);
    case Job::design:
      return design_stages(sizes);
    case Job::suggest: {
      std::vector<StageWork> stages = batch_stages(batch_of(shared, shares, b));
      stages.insert(stages.begin(), candidate_stage(shape_of(sizes)));
      stages.push_back(worth_stage(shared));
      stages.push_back(receipt_stage(shape_of(sizes), b));
      return stages;
    }
  }
  throw std::logic_error("a job without a model");
}

}  // namespace carbo::bench
