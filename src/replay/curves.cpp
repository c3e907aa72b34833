#include "replay/curves.hpp"

#include <cmath>
#include <stdexcept>

#include "formulas/philox.hpp"
#include "replay/statistics.hpp"

namespace carbo::replay {

namespace {

constexpr std::size_t resamples = 200;

double grid_share(std::size_t index) { return static_cast<double>(index) / static_cast<double>(grid_steps); }

/// Draw `i` of a resample, with replacement, from `count`; lane 0 draws seeds, lane 1 problems.
std::size_t drawn_index(std::uint64_t resample, std::uint64_t i, std::uint64_t lane, std::size_t count) {
  const auto block = kernels::philox(resample, i, lane);
  return static_cast<std::size_t>(kernels::unit_double(block.word[0], block.word[1]) * static_cast<double>(count));
}

/// Median curve of a resample of the seeds, a pure function of its arguments. The same rows are drawn from every
/// method's traces: runs with one seed share their first points.
std::vector<double> resampled_median(const Traces& traces, std::uint64_t resample) {
  Traces drawn;
  drawn.reserve(traces.size());
  for (std::size_t i = 0; i < traces.size(); ++i) drawn.push_back(traces[drawn_index(resample, i, 0, traces.size())]);
  return quantile_curve(drawn, 0.5);
}

}  // namespace

Traces sample_traces(std::span<const RunRecord* const> runs) {
  Traces traces;
  for (const RunRecord* run : runs) {
    std::vector<double>& row = traces.emplace_back();
    row.reserve(grid_steps + 1);
    for (std::size_t i = 0; i <= grid_steps; ++i)
      row.push_back(incumbent_regret_at(*run, grid_share(i) * run->key.budget));
  }
  return traces;
}

std::vector<double> quantile_curve(const Traces& traces, double share) {
  if (traces.empty()) throw std::invalid_argument("a curve needs at least one run");
  std::vector<double> curve(traces.front().size());
  std::vector<double> column(traces.size());
  for (std::size_t i = 0; i < curve.size(); ++i) {
    for (std::size_t row = 0; row < traces.size(); ++row) column[row] = traces[row][i];
    curve[i] = quantile(column, share);
  }
  return curve;
}

std::size_t first_reach(std::span<const double> curve, double target) {
  std::size_t i = 0;
  while (i < curve.size() && !(std::isfinite(curve[i]) && curve[i] <= target)) ++i;
  return i;
}

double savings(std::span<const double> ours, std::span<const double> rival) {
  if (ours.size() != rival.size() || ours.size() < 2)
    throw std::invalid_argument("savings compare two curves on one grid of at least two points");
  const std::size_t last = ours.size() - 1;
  const auto reached = [&](std::span<const double> curve, double target) {
    return static_cast<double>(std::min(first_reach(curve, target), last)) / static_cast<double>(last);
  };
  if (ours.back() == rival.back()) return reached(rival, rival.back()) - reached(ours, ours.back());
  return ours.back() < rival.back() ? 1.0 - reached(ours, rival.back()) : reached(rival, ours.back()) - 1.0;
}

std::size_t best_final(const std::vector<std::vector<double>>& curves) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < curves.size(); ++i) {
    const double value = curves[i].back();
    const double lowest = curves[best].back();
    if (value < lowest || (value == lowest && first_reach(curves[i], value) < first_reach(curves[best], value)))
      best = i;
  }
  return best;
}

Traces resampled_medians(const Traces& traces, std::size_t problem, std::size_t problems) {
  Traces medians;
  for (std::uint64_t r = 0; r < resamples; ++r) medians.push_back(resampled_median(traces, r * problems + problem));
  return medians;
}

std::vector<double> resampled_means(const std::vector<ProblemSavings>& problems) {
  if (problems.empty()) throw std::invalid_argument("net savings need at least one problem");
  // Seeds of each problem are drawn once a resample; a problem that is drawn twice counts twice with them.
  std::vector<double> drawn;
  for (std::uint64_t r = 0; r < resamples; ++r) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const ProblemSavings& problem = problems[drawn_index(r, i, 1, problems.size())];
      for (const std::vector<double>& comparison : problem) sum += comparison.at(r);
      count += problem.size();
    }
    drawn.push_back(sum / static_cast<double>(count));
  }
  return drawn;
}

std::vector<double> resampled_net_savings(const std::vector<Comparison>& comparisons) {
  std::vector<ProblemSavings> problems;
  for (std::size_t p = 0; p < comparisons.size(); ++p) {
    const Traces ours = resampled_medians(*comparisons[p].ours, p, comparisons.size());
    const Traces rival = resampled_medians(*comparisons[p].rival, p, comparisons.size());
    std::vector<double>& single = problems.emplace_back().emplace_back();
    for (std::size_t r = 0; r < resamples; ++r) single.push_back(savings(ours[r], rival[r]));
  }
  return resampled_means(problems);
}

SavingsEstimate estimate_savings(const Traces& ours, const std::vector<Traces>& rivals) {
  std::vector<std::vector<double>> medians;
  for (const Traces& rival : rivals) medians.push_back(quantile_curve(rival, 0.5));
  SavingsEstimate estimate;
  estimate.rival = best_final(medians);
  estimate.share = savings(quantile_curve(ours, 0.5), medians[estimate.rival]);

  std::vector<double> drawn;
  for (std::uint64_t i = 0; i < resamples; ++i)
    drawn.push_back(savings(resampled_median(ours, i), resampled_median(rivals[estimate.rival], i)));
  estimate.low = quantile(drawn, 0.05);
  estimate.high = quantile(drawn, 0.95);
  return estimate;
}

}  // namespace carbo::replay
