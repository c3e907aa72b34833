#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "replay/statistics.hpp"

namespace carbo::bench {

/// What one piece of work took.
struct Timing {
  double seconds = 0;      ///< on the wall clock
  double cpu_seconds = 0;  ///< of all threads of this process
};

Timing time_of(const std::function<void()>& work);

/// Median of each member on its own.
Timing median_timing(const std::vector<Timing>& timings);

/// Medians of works timed in turn, so that all see the same state of the machine; each runs once untimed before.
template <std::size_t count>
std::array<Timing, count> in_turn(const std::function<void()> (&works)[count], int repeats) {
  std::array<std::vector<Timing>, count> timings;
  for (const auto& work : works) work();
  for (int i = 0; i < repeats; ++i)
    for (std::size_t w = 0; w < count; ++w) timings[w].push_back(time_of(works[w]));
  std::array<Timing, count> medians;
  for (std::size_t w = 0; w < count; ++w) medians[w] = median_timing(timings[w]);
  return medians;
}

std::string processor_name();

/// Runs the job in a child process and prints that process's peak resident memory. False where the job failed.
bool run_apart(const std::function<void()>& job);

}  // namespace carbo::bench
