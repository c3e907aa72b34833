#pragma once

#include <cstddef>
#include <cstdint>

struct Arguments {
  std::size_t candidates = 1'000'000;
  std::size_t batch = 64;
  double budget = 2'000'000;  ///< steps of the integrator, summed over all runs
  std::uint64_t seed = 1;
  bool trace = false;
  bool help = false;
};

/// Throws std::invalid_argument naming the option at fault and what it takes.
Arguments parse_arguments(int count, char** values);

extern const char* const usage;
