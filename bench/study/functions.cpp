#include "bench/study/functions.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace carbo::study {

namespace {

constexpr double pi = std::numbers::pi;

double square(double x) { return x * x; }

/// -Σᵢ heightᵢ exp(-Σⱼ widthᵢⱼ (xⱼ - centreᵢⱼ)²) over four bumps.
template <std::size_t d>
double hartmann(std::span<const double> x, const double (&width)[4][d], const double (&centre)[4][d]) {
  constexpr std::array<double, 4> height = {1.0, 1.2, 3.0, 3.2};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double exponent = 0;
    for (std::size_t j = 0; j < d; ++j) exponent += width[i][j] * square(x[j] - centre[i][j]);
    sum -= height[i] * std::exp(-exponent);
  }
  return sum;
}

}  // namespace

double branin(std::span<const double> x) {
  const double parabola = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
  return square(parabola) + 10 * (1 - 1 / (8 * pi)) * std::cos(x[0]) + 10;
}

double six_hump_camel(std::span<const double> x) {
  const double a = x[0] * x[0];
  const double b = x[1] * x[1];
  return (4 - 2.1 * a + a * a / 3) * a + x[0] * x[1] + (4 * b - 4) * b;
}

double log_goldstein_price(std::span<const double> x) {
  const double a = x[0];
  const double b = x[1];
  const double first = 1 + square(a + b + 1) * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b);
  const double second = 30 + square(2 * a - 3 * b) * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b);
  return std::log(first * second);
}

double hartmann3(std::span<const double> x) {
  constexpr double width[4][3] = {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}};
  constexpr double centre[4][3] = {
      {0.3689, 0.1170, 0.2673}, {0.4699, 0.4387, 0.7470}, {0.1091, 0.8732, 0.5547}, {0.0381, 0.5743, 0.8828}};
  return hartmann(x, width, centre);
}

double hartmann6(std::span<const double> x) {
  constexpr double width[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  constexpr double centre[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                   {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                   {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                   {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  return hartmann(x, width, centre);
}

double ackley(std::span<const double> x) {
  double squares = 0;
  double cosines = 0;
  for (const double xi : x) {
    squares += xi * xi;
    cosines += std::cos(2 * pi * xi);
  }
  const double d = static_cast<double>(x.size());
  return 20 - 20 * std::exp(-0.2 * std::sqrt(squares / d)) + std::numbers::e - std::exp(cosines / d);
}

double levy(std::span<const double> x) {
  const auto w = [&](std::size_t i) { return 1 + (x[i] - 1) / 4; };
  const std::size_t last = x.size() - 1;
  double sum = square(std::sin(pi * w(0)));
  for (std::size_t i = 0; i < last; ++i) sum += square(w(i) - 1) * (1 + 10 * square(std::sin(pi * w(i) + 1)));
  return sum + square(w(last) - 1) * (1 + square(std::sin(2 * pi * w(last))));
}

double log_rosenbrock(std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) sum += 100 * square(x[i + 1] - x[i] * x[i]) + square(1 - x[i]);
  return std::log1p(sum);
}

double styblinski_tang(std::span<const double> x) {
  double sum = 0;
  for (const double xi : x) sum += square(square(xi)) - 16 * square(xi) + 5 * xi;
  return sum / 2;
}

}  // namespace carbo::study
