#pragma once

#include <vector>

#include "bench/study/problem.hpp"

namespace carbo::study {

/// Stand-ins for tuning a learner: an error over mixed hyperparameters with a known optimum, read with the noise of
/// training, at a cost that its size-like parameters drive, read with the noise of timing.
std::vector<Problem> tuning_problems();

}  // namespace carbo::study
