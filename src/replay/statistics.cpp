#include "replay/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace carbo::replay {

namespace {

/// Position of each entry in the sorted sample, from 0; equal entries have the mean of theirs.
std::vector<double> ranks(std::span<const double> sample) {
  std::vector<double> result;
  for (const double value : sample) {
    const auto below = std::count_if(sample.begin(), sample.end(), [=](double other) { return other < value; });
    const auto equal = std::count(sample.begin(), sample.end(), value);
    result.push_back(static_cast<double>(below) + (static_cast<double>(equal) - 1) / 2);
  }
  return result;
}

}  // namespace

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

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size() || x.size() < 2)
    throw std::invalid_argument("a rank correlation needs two samples of one size, at least 2");
  const std::vector<double> a = ranks(x), b = ranks(y);
  const double middle = mean(a);
  double product = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - middle) * (b[i] - middle);
    square_a += (a[i] - middle) * (a[i] - middle);
    square_b += (b[i] - middle) * (b[i] - middle);
  }
  return product / std::sqrt(square_a * square_b);
}

Spread spread_of(const std::vector<double>& sample) {
  return {median(sample),        quantile(sample, 0.25), quantile(sample, 0.75),
          quantile(sample, 0.0), quantile(sample, 1.0),  sample.size()};
}

}  // namespace carbo::replay
