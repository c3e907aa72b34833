#pragma once

#include <cstdint>
#include <string>

#include "support/tree_reader.hpp"

namespace carbo::internal {

inline constexpr const char* state_format = "carbo optimizer";
/// Of the texts that are written. A member with a default may join within a version; every other change, and every
/// change of what a member means, is another one.
inline constexpr std::uint64_t state_version = 1;

/// Throws InvalidState where it is no state, or one of a newer version.
void check_state_version(const TreeReader& reader);
/// What decides the last bits of a result beside the machine: versions of this library, compiler and C library.
std::string build_text();
/// Since 1970, by the clock of the calendar.
double calendar_seconds();

}  // namespace carbo::internal
