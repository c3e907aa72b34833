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
/// With m = 10; x in [0, π]ᵈ; minimum -4.687658 with five dimensions.
double michalewicz(std::span<const double> x);
/// Ten bumps; x in [0, 10]⁴; minimum -10.53641 near (4, 4, 4, 4).
double shekel(std::span<const double> x);
/// Minimum 0 at the origin.
double griewank(std::span<const double> x);
/// Minimum 0 at the origin.
double rastrigin(std::span<const double> x);
/// x in [-10, 10]²; four minima of -19.2085 at (±8.05502, ±9.66459).
double holder_table(std::span<const double> x);
/// log(1 + Dixon–Price); minimum 0 where each of the first coordinates, from 1 on, is twice the next one's square.
double log_dixon_price(std::span<const double> x);
/// log(1 + Himmelblau); x in [-5, 5]²; four minima of 0.
double log_himmelblau(std::span<const double> x);

}  // namespace carbo::study
