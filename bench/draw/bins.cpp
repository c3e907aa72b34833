#include "bench/draw/bins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "replay/csv.hpp"

namespace carbo::draw {

namespace {

/// Values that differ by less, relative to their size, are the same to a histogram: edges between them would not
/// rise.
constexpr double least_spread = 1e-9;

std::optional<Range> range_of(std::span<const double> values, Scale scale) {
  std::optional<Range> range;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (scale == Scale::logarithmic && values[i] <= 0)
      throw std::invalid_argument("logarithmic bins: value " + std::to_string(i) + " is " + replay::exact(values[i]) +
                                  "; all must be above 0");
    if (!range) range = Range{values[i], values[i]};
    range->low = std::min(range->low, values[i]);
    range->high = std::max(range->high, values[i]);
  }
  return range;
}

Range spread(Range range, Scale scale) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high / 2 - range.low / 2 > least_spread * size / 2) return range;
  if (scale == Scale::logarithmic) return {range.low / 2, range.high * 2};
  const double half = size > 0 ? size / 2 : 0.5;
  return {range.low - half, range.high + half};
}

void require_rising(std::span<const double> edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const bool rises = i == 0 || edges[i - 1] < edges[i];
    if (!rises || !std::isfinite(edges[i]))
      throw std::invalid_argument("edge " + std::to_string(i) + " of the bins is " + replay::exact(edges[i]) +
                                  "; edges must be finite and rise");
  }
}

}  // namespace

std::vector<double> bin_edges(std::span<const double> values, std::size_t count, Scale scale) {
  if (count == 0) throw std::invalid_argument("a histogram of 0 bins; at least 1 is needed");
  if (scale == Scale::categories) throw std::invalid_argument("categories have no bins");
  const std::optional<Range> found = range_of(values, scale);
  if (!found) return {};
  const auto [low, high] = spread(*found, scale);
  std::vector<double> edges(count + 1);
  for (std::size_t i = 0; i <= count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count);
    edges[i] = scale == Scale::linear ? low * (1 - part) + high * part : low * std::pow(high / low, part);
  }
  // Not rounded: the lowest and the highest value must lie inside.
  edges.front() = low;
  edges.back() = high;
  require_rising(edges);
  return edges;
}

std::vector<double> bin_counts(std::span<const double> values, std::span<const double> edges) {
  require_rising(edges);
  std::vector<double> counts(edges.empty() ? 0 : edges.size() - 1);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (counts.empty() || value < edges.front() || value > edges.back())
      throw std::invalid_argument(
          "the value " + replay::exact(value) + " lies outside the bins" +
          (counts.empty() ? ", of which there are none"
                          : " from " + replay::exact(edges.front()) + " to " + replay::exact(edges.back())));
    const auto above = std::upper_bound(edges.begin(), edges.end() - 1, value);
    ++counts[std::min(static_cast<std::size_t>(above - edges.begin()), counts.size()) - 1];
  }
  return counts;
}

std::vector<double> bin_shares(std::span<const double> values, std::span<const double> edges) {
  std::vector<double> shares = bin_counts(values, edges);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = all > 0 ? share / all : 0;
  return shares;
}

}  // namespace carbo::draw
