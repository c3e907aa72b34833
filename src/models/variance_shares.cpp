#include "models/variance_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formulas/sobol.hpp"
#include "space/axis.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t dimensions = kernels::sobol_dimensions;
/// Standard deviation over magnitude below which values are equal to rounding.
constexpr double rounding = 1e-13;

/// Order of the second sample's rows where it shares dimensions with the first.
std::vector<std::uint32_t> shuffled(std::size_t points, std::uint64_t seed, std::uint64_t sequence) {
  std::vector<std::uint32_t> order(points);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = points; i > 1; --i) {
    const double u = uniform(seed, Draw::importance_sample, (sequence << 32) | i, static_cast<std::uint32_t>(-1));
    std::swap(order[i - 1], order[std::min(i - 1, static_cast<std::size_t>(u * static_cast<double>(i)))]);
  }
  return order;
}

double half_mean_square(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return 0.5 * sum / static_cast<double>(a.size());
}

}  // namespace

PairedSample::PairedSample(const Space& space, std::size_t points, std::uint64_t seed, std::uint64_t sequence)
    : points_(points),
      parameters_(space.parameters().size()),
      first_(points * parameters_),
      second_(points * parameters_) {
  const std::vector<Axis> axes = axes_of(space);
  std::vector<std::uint32_t> in_order(points);
  std::iota(in_order.begin(), in_order.end(), 0u);
  const bool shared = 2 * parameters_ > dimensions;
  const std::vector<std::uint32_t> second_order = shared ? shuffled(points, seed, sequence) : in_order;
  std::vector<double> units(points), levels(points);
  for (std::size_t d = 0; d < 2 * parameters_; ++d) {
    const bool in_first = d < parameters_;
    const std::size_t parameter = in_first ? d : d - parameters_;
    const auto purpose = static_cast<std::uint64_t>(Draw::importance_sample) << 32;
    const kernels::PhiloxBlock key = kernels::philox(seed, sequence, purpose | d);
    const std::uint32_t* const directions = kernels::sobol_directions.word[d % dimensions];
    const std::vector<std::uint32_t>& order = in_first ? in_order : second_order;
    for (std::size_t i = 0; i < points; ++i)
      units[i] = kernels::sobol_unit(kernels::owen_scramble(kernels::sobol_word(directions, order[i]), key));
    axes[parameter].quantiles(units, levels);
    std::vector<double>& sample = in_first ? first_ : second_;
    for (std::size_t i = 0; i < points; ++i) sample[i * parameters_ + parameter] = levels[i];
  }
}

std::vector<double> PairedSample::mixed(std::size_t parameter) const {
  std::vector<double> numbers = first_;
  for (std::size_t i = parameter; i < numbers.size(); i += parameters_) numbers[i] = second_[i];
  return numbers;
}

void VarianceShares::add_samples(std::span<const double> first, std::span<const double> second) {
  const double count = static_cast<double>(first.size() + second.size());
  double mean = 0, variance = 0;
  for (const auto& values : {first, second}) {
    for (const double value : values) {
      mean += value / count;
      largest_ = std::max(largest_, std::abs(value));
    }
  }
  for (const auto& values : {first, second})
    for (const double value : values) variance += (value - mean) * (value - mean) / count;
  variance_ += variance;
  samples_ += 1;
}

void VarianceShares::add_mixed(std::size_t parameter, std::span<const double> first, std::span<const double> second,
                               std::span<const double> mixed) {
  not_alone_[parameter] += half_mean_square(second, mixed);
  total_[parameter] += half_mean_square(first, mixed);
}

double VarianceShares::variance() const {
  const double variance = samples_ > 0 ? variance_ / samples_ : 0.0;
  return std::sqrt(variance) > rounding * std::max(1.0, largest_) ? variance : 0.0;
}

double VarianceShares::first_order(std::size_t parameter) const {
  if (variance() == 0) return 0;
  return std::clamp(1.0 - not_alone_[parameter] / variance_, 0.0, 1.0);
}

double VarianceShares::total(std::size_t parameter) const {
  if (variance() == 0) return 0;
  return std::clamp(total_[parameter] / variance_, 0.0, 1.0);
}

}  // namespace carbo::internal
