#pragma once

#include <cstdint>

extern "C" __attribute__((weak)) void __asan_init();

namespace carbo::test {

/// Sanitizers make a test about ten times as slow; what they look for shows in a part of the cases too. Known when
/// the program runs: the same objects are linked with a library under sanitizers and with one without.
inline const bool sanitized = __asan_init != nullptr;

/// How many of `count` random cases to run.
inline std::uint64_t cases(std::uint64_t count) { return sanitized ? (count + 9) / 10 : count; }

}  // namespace carbo::test
