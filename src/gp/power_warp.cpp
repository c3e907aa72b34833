#include "gp/power_warp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gp/standardisation.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t most_fitted = 512;
constexpr double lowest_power = -2, highest_power = 4;
constexpr double coarse_step = 1.0 / 4.0, fine_step = 1.0 / 32.0;
/// Of the power about 1, a priori.
constexpr double power_deviation = 0.5;

/// (e^(exponent · log) − 1) / exponent.
double raised(double log, double exponent) { return exponent == 0 ? log : std::expm1(exponent * log) / exponent; }
/// Its inverse in `log`.
double lowered(double value, double exponent) {
  return exponent == 0 ? value : std::log1p(exponent * value) / exponent;
}

double yeo_johnson(double w, double power) {
  return w >= 0 ? raised(std::log1p(w), power) : -raised(std::log1p(-w), 2.0 - power);
}

double yeo_johnson_inverse(double t, double power) {
  return t >= 0 ? std::expm1(lowered(t, power)) : -std::expm1(lowered(-t, 2.0 - power));
}

double yeo_johnson_log_slope(double w, double power) {
  return (power - 1.0) * (w >= 0 ? std::log1p(w) : -std::log1p(-w));
}

std::vector<double> evenly_spaced(std::vector<double> distances) {
  std::sort(distances.begin(), distances.end());
  if (distances.size() <= most_fitted) return distances;
  std::vector<double> chosen(most_fitted);
  for (std::size_t i = 0; i < most_fitted; ++i) chosen[i] = distances[i * (distances.size() - 1) / (most_fitted - 1)];
  return chosen;
}

/// Log likelihood of a normal sample at its best mean and variance, but for constants, and log density of the power.
double log_posterior(std::span<const double> distances, double power) {
  std::vector<double> warped;
  double log_slopes = 0;
  for (const double w : distances) {
    warped.push_back(yeo_johnson(w, power));
    log_slopes += yeo_johnson_log_slope(w, power);
    if (!std::isfinite(warped.back())) return -std::numeric_limits<double>::infinity();
  }
  const double off = (power - 1.0) / power_deviation;
  return log_slopes - static_cast<double>(distances.size()) * std::log(standardisation(warped).scale) -
         0.5 * off * off;
}

double best_power(std::span<const double> distances, double from, double to, double step) {
  double best = 1.0, highest = log_posterior(distances, best);
  for (double power = std::max(from, lowest_power); power <= std::min(to, highest_power); power += step) {
    const double value = log_posterior(distances, power);
    if (!(value > highest)) continue;
    highest = value;
    best = power;
  }
  return best;
}

}  // namespace

PowerWarp::PowerWarp(std::span<const double> values) : centre_(lower_median(values)) {
  std::vector<double> away;
  for (const double value : values)
    if (value != centre_) away.push_back(std::min(std::abs(value - centre_), largest_finite));
  if (!away.empty()) unit_ = lower_median(away);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(distance(value));
  const auto [low, high] = std::minmax_element(distances.begin(), distances.end());
  lowest_ = *low;
  highest_ = *high;
  if (lowest_ == highest_) return;
  const std::vector<double> fitted = evenly_spaced(std::move(distances));
  power_ = best_power(fitted, lowest_power, highest_power, coarse_step);
  power_ = best_power(fitted, power_ - coarse_step, power_ + coarse_step, fine_step);
}

double PowerWarp::distance(double value) const {
  return std::clamp(standardise(value, {centre_, unit_}), -largest_finite, largest_finite);
}

double PowerWarp::forward(double value) const {
  const double w = std::min(distance(value), highest_);
  if (w >= lowest_) return yeo_johnson(w, power_);
  const double beyond = (w - lowest_) * std::exp(yeo_johnson_log_slope(lowest_, power_));
  return std::max(yeo_johnson(lowest_, power_) + beyond, -largest_finite);
}

double PowerWarp::backward(double warped) const {
  const double top = yeo_johnson(highest_, power_), bottom = yeo_johnson(lowest_, power_);
  double w = highest_;
  if (warped < bottom)
    w = lowest_ + (warped - bottom) * std::exp(-yeo_johnson_log_slope(lowest_, power_));
  else if (warped < top)
    w = std::clamp(yeo_johnson_inverse(warped, power_), lowest_, highest_);
  return std::clamp(centre_ + unit_ * w, -largest_finite, largest_finite);
}

double PowerWarp::log_slope(double value) const {
  return yeo_johnson_log_slope(std::clamp(distance(value), lowest_, highest_), power_) - std::log(unit_);
}

}  // namespace carbo::internal
