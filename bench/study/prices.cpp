#include "bench/study/prices.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace carbo::study {

namespace {

double unit(double x, double lower, double upper) { return (x - lower) / (upper - lower); }

}  // namespace

Space box(std::size_t dimension, double lower, double upper) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < dimension; ++i) parameters.push_back(real("x" + std::to_string(i + 1), lower, upper));
  return Space(std::move(parameters));
}

std::function<double(Numbers)> multiplicative(const Space& space, std::vector<double> slopes) {
  return [parameters = space.parameters(), slopes = std::move(slopes)](Numbers x) {
    double exponent = 0;
    for (std::size_t i = 0; i < slopes.size(); ++i)
      exponent += slopes[i] * unit(x[i], parameters[i].lower(), parameters[i].upper());
    return std::exp(exponent);
  };
}

std::function<double(Numbers)> peaked(const Space& space, std::vector<double> peak, double height, double width) {
  return [parameters = space.parameters(), peak = std::move(peak), height, width](Numbers x) {
    double squares = 0;
    for (std::size_t i = 0; i < peak.size(); ++i) {
      const double off = (x[i] - peak[i]) / (parameters[i].upper() - parameters[i].lower());
      squares += off * off;
    }
    return std::exp(height * std::exp(-squares / (2 * width * width * static_cast<double>(peak.size()))));
  };
}

double layer_products(Numbers x, double lower, double upper) {
  const auto units = [&](std::size_t i) { return std::pow(10.0, 1.0 + unit(x[i], lower, upper)); };
  double products = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) products += units(i) * units(i + 1);
  return products / 300.0;
}

}  // namespace carbo::study
