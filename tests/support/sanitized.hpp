#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

extern "C" __attribute__((weak)) void __asan_init();

namespace carbo::test {

/// Sanitizers make a test about ten times as slow; what they look for shows in a part of the cases too. Known when
/// the program runs: the same objects are linked with a library under sanitizers and with one without.
inline const bool sanitized = __asan_init != nullptr;

/// How many of `count` random cases to run.
inline std::uint64_t cases(std::uint64_t count) { return sanitized ? (count + 9) / 10 : count; }

/// Of the cases that are alike for several processes (one a level) those of this one: CARBO_TEST_PART, such as 2/3.
struct Part {
  unsigned number = 1;  ///< from 1
  unsigned of = 1;
};

inline Part part() {
  const char* const given = std::getenv("CARBO_TEST_PART");
  Part part;
  if (given == nullptr) return part;
  if (std::sscanf(given, "%u/%u", &part.number, &part.of) != 2 || part.number < 1 || part.number > part.of) {
    std::fprintf(stderr, "CARBO_TEST_PART is '%s'; give a part such as 2/3\n", given);
    std::abort();
  }
  return part;
}

/// How many of `count` random cases this process runs.
inline std::uint64_t own_cases(std::uint64_t count) { return (cases(count) + part().of - 1) / part().of; }

/// The seeds of these, from `first` on; those of other parts are others.
inline std::vector<std::uint64_t> own_seeds(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> seeds(own_cases(count));
  std::iota(seeds.begin(), seeds.end(), first + (part().number - 1) * seeds.size());
  return seeds;
}

}  // namespace carbo::test
