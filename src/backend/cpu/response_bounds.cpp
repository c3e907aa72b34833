#include "backend/cpu/response_bounds.hpp"

#include <algorithm>

namespace carbo::internal {

bool ResponseBounds::squares_help(const CpuFactor& factor) {
  constexpr double least_noise = 1e-3;  // of the prior variance
  return factor.least_noise() >= least_noise * factor.parameters().signal_variance;
}

void ResponseBounds::add(const CpuFactor& factor, std::size_t t, std::span<const std::uint32_t> candidates,
                         std::span<const std::uint32_t> seen, const double* covariances, const double* explained) {
  const CpuFactor::Fantasy& fantasy = factor.fantasies()[t];
  const double prior = factor.parameters().signal_variance;
  const double inverse_noise = 1.0 / factor.least_noise();
  const double of_point = std::sqrt(std::min(prior, fantasy.explained));
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    One& own = of_[candidates[j]];
    if (next(candidates[j], seen[j]) != t) continue;
    if (own.seen != seen[j] || own.counted == seen[j]) own.lengths = 0;
    const double of_candidate = std::min({prior, own.squares * inverse_noise, explained[j] + own.lengths});
    const double longest = (covariances[j] + std::sqrt(of_candidate) * of_point) / fantasy.pivot;
    own.lengths += longest * longest;
    own.squares += covariances[j] * covariances[j];
    own.seen = seen[j];
    own.counted = static_cast<std::uint32_t>(t + 1);
  }
}

}  // namespace carbo::internal
