#pragma once

#include <carbo/carbo.h>
#include <carbo/optimizer.hpp>

namespace carbo::internal::c {

// What the optimizer gives, in structs of carbo.h. Sizes are not looked at here; what is absent is NaN or -1.

carbo_suggestion c_suggestion(const Suggestion& suggestion);
carbo_observation c_observation(const Observation& observation);
carbo_prediction c_prediction(const Prediction& prediction);
/// Throws where status, origin or a place is none. `reason` may be null.
Observation observation_of(const carbo_observation* given, Configuration configuration, const char* reason);
/// Copies the numbers to the `place`-th row of `numbers`.
void write_numbers(const Configuration& configuration, double* numbers, std::size_t place = 0);

}  // namespace carbo::internal::c
