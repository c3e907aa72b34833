#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "acquisition/spec.hpp"
#include "backend/backend.hpp"
#include "space/candidate_stream.hpp"

namespace carbo::internal {

/// Candidates that the minimum is taken over at most.
inline constexpr std::size_t most_extreme_rows = 10000;

using Extremes = std::array<double, kernels::extreme_samples>;

/// Where samples of the minimum come from.
struct ExtremeSample {
  std::uint64_t rows = 0;  ///< of Ω̃
  std::size_t columns = 0;
  /// Appends the encoded coordinates of these rows, but for those that satisfy no constraint.
  std::function<void(std::span<const std::size_t> rows, std::vector<double>& to)> read{};
};
/// Every row of what is given counts, whether or not it may still be picked. Borrowed.
ExtremeSample extreme_sample(const CandidateSet& candidates, std::size_t columns);
ExtremeSample extreme_sample(const CandidateStream& stream);

/// Rows of Ω̃ that the minimum is taken over: all, or one of each of `most_extreme_rows` parts of equal length, drawn
/// by lot, for every second point or so of a Sobol sequence lies in one half of the space. Ascending.
std::vector<std::size_t> extreme_rows(std::uint64_t rows, std::uint64_t seed);

/// Posterior of the objective at a few candidates, under one GP.
struct SampledPosterior {
  std::vector<double> means;
  std::vector<double> deviations;
};

/// Gumbel distribution of a minimum: it lies above y with probability exp(−exp((y − location) / scale)).
struct GumbelMinimum {
  double location = 0;
  double scale = 0;  ///< 0 where it is known
  /// Below which it lies with this probability, in (0, 1).
  double quantile(double probability) const;
};

/// The distribution with the quartiles of the minimum over the points, as if they were independent; under one GP or,
/// where there are several, under one of them by lot. `otherwise`: where no posterior is finite.
GumbelMinimum fit_minimum(std::span<const SampledPosterior> members, double otherwise);

/// Samples of the minimum under these GPs, points that were fantasised not counted: one of each of as many equal
/// parts of its distribution, by numbers that are the same in every call.
Extremes draw_extremes(Backend& backend, std::span<GpFactor* const> factors, const ExtremeSample& sample,
                       double otherwise, std::uint64_t seed);

}  // namespace carbo::internal
