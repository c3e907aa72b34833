#include "bench/draw/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace carbo::draw {

Axis budget_axis() {
  return {.label = "cost spent, share of the budget",
          .range = Range{0, 1},
          .ticks = {{0, "0"}, {0.25, ""}, {0.5, "50 %"}, {0.75, ""}, {1, "100 %"}}};
}

Axis category_axis(std::string label, std::vector<std::string> names) {
  return {.label = std::move(label), .scale = Scale::categories, .categories = std::move(names)};
}

std::vector<double> linear_ticks(double low, double high, double wanted) {
  const double least = (high - low) / wanted;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10 * decade;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * decade >= least * (1 - 1e-9)) step = factor * decade;
  std::vector<double> ticks;
  // Whole multiples, so that rounding does not add up; ends that are off by rounding are still ends.
  const double first = std::ceil(low / step - 1e-9);
  const double more = std::floor(high / step + 1e-9) - first;
  for (double i = 0; i <= more; ++i)
    ticks.push_back(std::clamp((first + i) * step + 0.0, low, high));  // + 0: no minus zero
  return ticks;
}

std::vector<double> steps_of_125(double low, double high) {
  std::vector<double> steps;
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, exponent) <= high; ++exponent)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double step = factor * std::pow(10.0, exponent);
      if (step >= low && step <= high) steps.push_back(step);
    }
  return steps;
}

std::vector<double> log_ticks(double low, double high) {
  const double decades = std::log10(high / low);
  std::vector<double> ticks;
  if (decades < 1.7) {
    ticks = steps_of_125(low, high);
  } else {
    const int stride = static_cast<int>(std::ceil(decades / 5.5));
    for (int exponent = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, exponent) <= high; ++exponent)
      if (exponent % stride == 0 && std::pow(10.0, exponent) >= low) ticks.push_back(std::pow(10.0, exponent));
  }
  return ticks.size() < 2 ? linear_ticks(low, high, 4) : ticks;
}

std::string tick_label(double value) {
  char text[32];
  const int exponent = value == 0.0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  if (exponent < -3 || exponent > 5)
    std::snprintf(text, sizeof text, "%ge%d", value / std::pow(10.0, exponent), exponent);
  else
    std::snprintf(text, sizeof text, "%g", value);
  return text;
}

double Extent::share(double value) const {
  if (scale != Scale::logarithmic) return (value - low) / (high - low);
  return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
}

}  // namespace carbo::draw
