#pragma once

#include <cstdint>

namespace carbo::test {

/// Sanitizers make a test about ten times as slow; what they look for shows in a part of the cases too.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// How many of `count` random cases to run.
constexpr std::uint64_t cases(std::uint64_t count) { return sanitized ? (count + 9) / 10 : count; }

}  // namespace carbo::test
