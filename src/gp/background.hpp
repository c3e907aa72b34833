#pragma once

#include <span>
#include <vector>

#include "gp/fit.hpp"

namespace carbo::internal {

/// Gives a GP of some of the rows, as its background, the weights that the rows left out of it have in the GP of all:
/// its mean becomes that GP's, to a hundredth of what the left-out targets differ from the mean without them. With C
/// and μ the posterior without a background and N the noise, conjugate gradients solve (C + N)v = y − μ. Each of
/// their products lowers the error, so that an early end gives a mean between both; there are at most 300, of many
/// rows fewer. `start`: weights to begin with, where they are better than none; may be empty, and 16 products follow
/// at most where it is not. Returns the weights.
std::vector<double> learn_background(GpFactor& factor, const TrainingData& left_out, std::span<const double> start);

}  // namespace carbo::internal
