#pragma once

#include <span>

/// Test functions in their published forms, by their published coordinates.
namespace carbo::study {

/// x in [-5, 10] × [0, 15]; three minima of 0.397887.
double branin(std::span<const double> x);
/// Two minima of -1.0316285.
double six_hump_camel(std::span<const double> x);
/// Logarithm of the function; x in [-2, 2]²; minimum log 3 at (0, -1).
double log_goldstein_price(std::span<const double> x);
/// x in [0, 1]³; minimum -3.86278.
double hartmann3(std::span<const double> x);
/// x in [0, 1]⁶; minimum -3.32237.
double hartmann6(std::span<const double> x);
/// Minimum 0 at the origin.
double ackley(std::span<const double> x);
/// Minimum 0 at (1, …, 1).
double levy(std::span<const double> x);
/// log(1 + Rosenbrock); minimum 0 at (1, …, 1).
double log_rosenbrock(std::span<const double> x);
/// Half the sum; minimum -39.16617 a dimension at -2.903534.
double styblinski_tang(std::span<const double> x);

}  // namespace carbo::study
