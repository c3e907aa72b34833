#include "gp/copies.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "backend/jitter_policy.hpp"
#include "space/row_set.hpp"

namespace carbo::internal {

MergedCopies merge_copies(const TrainingData& observations) {
  MergedCopies merged;
  TrainingData& rows = merged.rows;
  rows.columns = observations.columns;
  RowSet known(observations.size());
  std::vector<double> counts;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto point = observations.view().row(i);
    const std::size_t slot = known.find(rows.points, point);
    if (known.holds(slot)) {
      const std::size_t row = known.at(slot);
      merged.row_of.push_back(row);
      rows.targets[row] += observations.targets[i];
      counts[row] += 1.0;
      continue;
    }
    known.insert(slot, counts.size());
    merged.row_of.push_back(counts.size());
    rows.points.insert(rows.points.end(), point.begin(), point.end());
    rows.targets.push_back(observations.targets[i]);
    counts.push_back(1.0);
  }
  if (counts.size() == observations.size()) return merged;
  for (std::size_t row = 0; row < counts.size(); ++row) rows.targets[row] /= counts[row];
  rows.squares.assign(counts.size(), 0.0);
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const double deviation = observations.targets[i] - rows.targets[merged.row_of[i]];
    rows.squares[merged.row_of[i]] += deviation * deviation;
  }
  rows.counts = std::move(counts);
  return merged;
}

CopyTerms copy_terms(std::span<const double> counts, std::span<const double> squares, double noise_variance) {
  double copies = 0, log_counts = 0, sum = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    copies += counts[row] - 1.0;
    log_counts += std::log(counts[row]);
    sum += squares[row];
  }
  if (copies == 0) return {};
  const double in_noise = sum / noise_variance;
  return {-0.5 * (copies * std::log(2.0 * std::numbers::pi * noise_variance) + log_counts + in_noise),
          -0.5 * (copies - in_noise)};
}

/// With P and α the rows' precision K⁻¹ and weights K⁻¹(y − m), an observation's own are, by Woodbury's identity,
/// (1 − 1/n)/σ² + P/n² and (observation − mean of its copies)/σ² + α/n.
LeaveOneOut left_out_observations(const LeaveOneOut& left_out_rows, const TrainingData& rows,
                                  std::span<const std::size_t> row_of, std::span<const double> targets,
                                  const GpParameters& parameters) {
  // Without any noise the other copies would leave no variance at all.
  const double noise_variance = std::max(parameters.noise_variance, jitter_steps[1] * parameters.signal_variance);
  LeaveOneOut result;
  const std::span<const double> counts = rows.counts;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t row = row_of[i];
    double mean = left_out_rows.mean[row];
    double variance = left_out_rows.variance[row];
    if (!counts.empty() && counts[row] > 1) {
      const double count = counts[row];
      const double row_mean = rows.targets[row];
      const double weight = (row_mean - mean) / variance / count;
      const double in_noise = 1.0 / ((1.0 - 1.0 / count) + noise_variance / (count * count * variance));
      mean = targets[i] - in_noise * ((targets[i] - row_mean) + noise_variance * weight);
      variance = in_noise * noise_variance;
    }
    result.mean.push_back(mean);
    result.variance.push_back(variance);
  }
  return result;
}

}  // namespace carbo::internal
