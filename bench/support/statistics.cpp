#include "bench/support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace carbo::bench {

double quantile(std::vector<double> sample, double share) {
  if (sample.empty()) throw std::invalid_argument("quantile of an empty sample");
  if (!(share >= 0.0 && share <= 1.0)) throw std::invalid_argument("quantile share outside [0, 1]");
  if (std::any_of(sample.begin(), sample.end(), [](double x) { return std::isnan(x); }))
    throw std::invalid_argument("quantile of a sample that holds NaN");
  const double position = share * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(position));
  const double weight = position - static_cast<double>(below);
  std::nth_element(sample.begin(), sample.begin() + below, sample.end());
  const double low = sample[static_cast<std::size_t>(below)];
  if (weight == 0.0) return low;
  const double high = *std::min_element(sample.begin() + below + 1, sample.end());
  if (low == high) return low;  // two infinities have no difference to interpolate
  return low + weight * (high - low);
}

double median(std::vector<double> sample) { return quantile(std::move(sample), 0.5); }

double mean(std::span<const double> sample) {
  if (sample.empty()) throw std::invalid_argument("mean of an empty sample");
  return std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
}

Spread spread_of(const std::vector<double>& sample) {
  return {median(sample),        quantile(sample, 0.25), quantile(sample, 0.75),
          quantile(sample, 0.0), quantile(sample, 1.0),  sample.size()};
}

}  // namespace carbo::bench
