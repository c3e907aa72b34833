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

double michalewicz(std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum -= std::sin(x[i]) * std::pow(std::sin(static_cast<double>(i + 1) * x[i] * x[i] / pi), 20);
  return sum;
}

double shekel(std::span<const double> x) {
  constexpr std::array<double, 10> width = {0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5};
  constexpr double centre[10][4] = {{4, 4, 4, 4}, {1, 1, 1, 1}, {8, 8, 8, 8}, {6, 6, 6, 6}, {3, 7, 3, 7},
                                    {2, 9, 2, 9}, {5, 5, 3, 3}, {8, 1, 8, 1}, {6, 2, 6, 2}, {7, 3.6, 7, 3.6}};
  double sum = 0;
  for (std::size_t i = 0; i < width.size(); ++i) {
    double distance = width[i];
    for (std::size_t j = 0; j < 4; ++j) distance += square(x[j] - centre[i][j]);
    sum -= 1 / distance;
  }
  return sum;
}

double griewank(std::span<const double> x) {
  double squares = 0;
  double cosines = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += square(x[i]);
    cosines *= std::cos(x[i] / std::sqrt(static_cast<double>(i + 1)));
  }
  return 1 + squares / 4000 - cosines;
}

double rastrigin(std::span<const double> x) {
  double sum = 0;
  for (const double xi : x) sum += square(xi) + 10 * (1 - std::cos(2 * pi * xi));
  return sum;
}

double holder_table(std::span<const double> x) {
  const double radius = std::hypot(x[0], x[1]);
  return -std::abs(std::sin(x[0]) * std::cos(x[1]) * std::exp(std::abs(1 - radius / pi)));
}

double log_dixon_price(std::span<const double> x) {
  double sum = square(x[0] - 1);
  for (std::size_t i = 1; i < x.size(); ++i) sum += static_cast<double>(i + 1) * square(2 * square(x[i]) - x[i - 1]);
  return std::log1p(sum);
}

double log_himmelblau(std::span<const double> x) {
  return std::log1p(square(x[0] * x[0] + x[1] - 11) + square(x[0] + x[1] * x[1] - 7));
}

}  // namespace carbo::study
