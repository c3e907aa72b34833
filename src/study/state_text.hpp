#pragma once

#include <string>

namespace carbo::internal {

/// The state of a run whose clock has gone on since: an `ask` stores it, and evaluations come after.
std::string later(const std::string& state, double seconds);

/// The state of a run that goes on to the limits (`limit_names`) of these options (JSON): what ended it by others
/// does not hold any more.
std::string with_limits_of(const std::string& state, const std::string& options);

}  // namespace carbo::internal
