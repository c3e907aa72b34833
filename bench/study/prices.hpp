#pragma once

#include <functional>
#include <vector>

#include "bench/study/problem.hpp"

/// Boxes and what their points cost, by which functions become problems.
namespace carbo::study {

/// A box of `dimension` real parameters x1, x2, … in [lower, upper].
Space box(std::size_t dimension, double lower, double upper);

/// exp of a linear form in the unit cube: each parameter multiplies the cost by up to exp(|slope|), as an
/// iteration count or a layer size on a logarithmic scale does.
std::function<double(Numbers)> multiplicative(const Space& space, std::vector<double> slopes);

/// exp(height · bump), with a bump of 1 at `peak` that falls to 0.6 where coordinates in the unit cube are `width`
/// off in the quadratic mean: dear near the peak, or cheap where the height is negative.
std::function<double(Numbers)> peaked(const Space& space, std::vector<double> peak, double height, double width);

/// Matrix products of a network with one layer a parameter, 10 to 100 units on a logarithmic scale over the box.
double layer_products(Numbers x, double lower, double upper);

}  // namespace carbo::study
