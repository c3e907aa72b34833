#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "c/handles.hpp"

// What several functions of c_optimizer.h do with their arguments.
namespace carbo::internal::c {

using HeldOptimizer = Held<carbo_optimizer>;

/// Bytes of a backend's reason that are kept.
inline constexpr std::size_t longest_reason = 2000;

/// The `place`-th configuration of an array of numbers. Throws InvalidConfiguration.
Configuration configuration_of(const HeldOptimizer& held, const double* numbers, std::size_t place = 0);
/// A size that the caller gave; throws CARBO_SHAPE where it is below 0.
std::size_t room(int64_t size, const char* name);
/// Throws CARBO_OUT_OF_RANGE where there are not as many.
std::span<const Observation> observations_from(const HeldOptimizer& held, int64_t first, int64_t wanted);

}  // namespace carbo::internal::c
