#include "acquisition/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "formulas/log_h.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

/// Candidates whose posterior is computed at a time.
constexpr std::size_t rows_at_once = 2048;
/// Deviations beyond which a point has no say in where the minimum lies.
constexpr double negligible = 8.0;
constexpr double upper_quartile = 0.6744897501960817;  // of the standard normal

/// log Φ(z).
double log_normal_probability(double z) {
  constexpr double log_sqrt_2pi = 0.9189385332046728;
  if (z > -1.0) return std::log1p(-0.5 * std::erfc(z / std::numbers::sqrt2));
  return std::log((1.0 - kernels::h_tail_ratio(-z)) / -z) - log_sqrt_2pi - 0.5 * z * z;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

bool usable(double mean, double deviation) {
  return std::isfinite(mean) && std::isfinite(deviation) && deviation > 0;
}

/// Ends between which the quartiles of the minimum lie: one point alone is below the upper one with a probability of
/// 3/4, and at the lower one none of 10⁴ points is with one above 10⁻⁶.
Range range_of(std::span<const SampledPosterior> members) {
  constexpr double deviations_below = 6.5;
  Range range;
  for (const SampledPosterior& member : members) {
    double high = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < member.means.size(); ++i) {
      const double mean = member.means[i], deviation = member.deviations[i];
      if (!usable(mean, deviation)) continue;
      range.low = std::min(range.low, mean - deviations_below * deviation);
      high = std::min(high, mean + upper_quartile * deviation);
    }
    if (std::isfinite(high)) range.high = std::max(range.high, high);
  }
  return range;
}

/// The points of a member that may be the minimum at or below `high`.
SampledPosterior contenders_of(const SampledPosterior& member, double high) {
  SampledPosterior some;
  for (std::size_t i = 0; i < member.means.size(); ++i) {
    const double mean = member.means[i], deviation = member.deviations[i];
    if (!usable(mean, deviation) || mean - high > negligible * deviation) continue;
    some.means.push_back(mean);
    some.deviations.push_back(deviation);
  }
  return some;
}

/// log(−log P(minimum > y)), which is a straight line of a Gumbel distribution.
double gumbel_variate(std::span<const SampledPosterior> members, double y) {
  std::vector<double> logs;
  for (const SampledPosterior& member : members) {
    double log_above = 0;
    for (std::size_t i = 0; i < member.means.size(); ++i)
      log_above += log_normal_probability((member.means[i] - y) / member.deviations[i]);
    logs.push_back(log_above);
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  if (logs.size() == 1) return std::log(-largest);
  double sum = 0;
  for (const double one : logs) sum += std::exp(one - largest);
  return std::log(-(largest + std::log(sum / static_cast<double>(logs.size()))));
}

/// The y with that variate, by false position: each step keeps a bracket, and an end that stays twice is halved.
double solve(std::span<const SampledPosterior> members, Range range, double variate) {
  constexpr int most_steps = 100;
  constexpr double close_enough = 1e-12;
  double at_low = gumbel_variate(members, range.low) - variate;
  double at_high = gumbel_variate(members, range.high) - variate;
  if (!(at_low < 0)) return range.low;
  if (!(at_high > 0)) return range.high;
  if (!std::isfinite(at_low)) at_low = -1e3;
  int side = 0;
  for (int step = 0; step < most_steps; ++step) {
    const double width = range.high - range.low;
    double y = range.high - width * (at_high / (at_high - at_low));
    if (!(y > range.low && y < range.high)) y = range.low + 0.5 * width;
    if (!(y > range.low && y < range.high)) break;
    const double miss = gumbel_variate(members, y) - variate;
    if (std::abs(miss) < close_enough) return y;
    if (miss > 0) {
      range.high = y;
      at_high = miss;
      if (side == 1) at_low *= 0.5;
      side = 1;
    } else {
      range.low = y;
      at_low = miss;
      if (side == -1) at_high *= 0.5;
      side = -1;
    }
  }
  return range.high;
}

/// log(−log P) of the probability P to lie above the quantile.
double variate_of(double probability) { return std::log(-std::log1p(-probability)); }

/// Of every GP at these rows.
std::vector<SampledPosterior> posteriors_at(Backend& backend, std::span<GpFactor* const> factors,
                                            const ExtremeSample& sample, std::span<const std::size_t> rows) {
  std::vector<SampledPosterior> members(factors.size());
  std::vector<double> encoded;
  for (std::size_t first = 0; first < rows.size(); first += rows_at_once) {
    encoded.clear();
    sample.read(rows.subspan(first, std::min(rows_at_once, rows.size() - first)), encoded);
    const std::size_t count = encoded.size() / sample.columns;
    if (count == 0) continue;
    const auto part = backend.make_candidates(MatrixView{encoded.data(), count, sample.columns});
    std::vector<double> means(count), variances(count);
    for (std::size_t m = 0; m < factors.size(); ++m) {
      backend.sweep(*factors[m], *part, true)->read(means, variances);
      members[m].means.insert(members[m].means.end(), means.begin(), means.end());
      for (const double one : variances) members[m].deviations.push_back(std::sqrt(one));
    }
  }
  return members;
}

}  // namespace

ExtremeSample extreme_sample(const CandidateSet& candidates, std::size_t columns) {
  return {candidates.size(), columns,
          [&candidates, columns](std::span<const std::size_t> rows, std::vector<double>& to) {
            const std::size_t before = to.size();
            to.resize(before + rows.size() * columns);
            candidates.read(rows, std::span(to).subspan(before));
          }};
}

ExtremeSample extreme_sample(const CandidateStream& stream) {
  return {stream.size(), stream.columns(), [&stream](std::span<const std::size_t> rows, std::vector<double>& to) {
            std::vector<double> numbers(stream.parameters()), encoded(stream.columns());
            for (const std::size_t row : rows) {
              std::uint8_t allowed = 0;
              stream.fill(row, numbers, encoded, {&allowed, 1});
              if (allowed != 0) to.insert(to.end(), encoded.begin(), encoded.end());
            }
          }};
}

std::vector<std::size_t> extreme_rows(std::uint64_t rows, std::uint64_t seed) {
  std::vector<std::size_t> chosen(static_cast<std::size_t>(std::min<std::uint64_t>(rows, most_extreme_rows)));
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (rows <= most_extreme_rows) return chosen;
  const double part = static_cast<double>(rows) / static_cast<double>(most_extreme_rows);
  for (std::size_t& row : chosen) {
    const double place = (static_cast<double>(row) + uniform(seed, Draw::extreme_row, row)) * part;
    row = static_cast<std::size_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(place), rows - 1));
  }
  return chosen;
}

double GumbelMinimum::quantile(double probability) const { return location + scale * variate_of(probability); }

GumbelMinimum fit_minimum(std::span<const SampledPosterior> members, double otherwise) {
  const Range range = range_of(members);
  if (!(range.low <= range.high) || !std::isfinite(range.low) || !std::isfinite(range.high)) return {otherwise, 0};
  std::vector<SampledPosterior> contenders;
  for (const SampledPosterior& member : members) {
    contenders.push_back(contenders_of(member, range.high));
    if (contenders.back().means.empty()) contenders.pop_back();
  }
  const auto at = [&](double probability) { return solve(contenders, range, variate_of(probability)); };
  const double median = at(0.5);
  GumbelMinimum fitted;
  fitted.scale = std::max(0.0, at(0.75) - at(0.25)) / (variate_of(0.75) - variate_of(0.25));
  fitted.location = median - fitted.scale * variate_of(0.5);
  return fitted;
}

Extremes draw_extremes(Backend& backend, std::span<GpFactor* const> factors, const ExtremeSample& sample,
                       double otherwise, std::uint64_t seed) {
  const std::vector<std::size_t> rows = extreme_rows(sample.rows, seed);
  const std::vector<SampledPosterior> members = posteriors_at(backend, factors, sample, rows);
  const GumbelMinimum minimum = fit_minimum(members, otherwise);
  Extremes drawn{};
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const double place = static_cast<double>(k) + uniform(seed, Draw::extreme, k);
    drawn[k] = minimum.quantile(place / static_cast<double>(drawn.size()));
  }
  return drawn;
}

}  // namespace carbo::internal
