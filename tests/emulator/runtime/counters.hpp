// Counters, live objects and the fault plan.
#pragma once
#include <cstdint>

#include "emulator.hpp"

namespace emulator {

// Keeps the largest value.
void count_peak(const char* counter, std::uint64_t value);

// True where the current device has a sticky error: all its calls fail, save those that ask nothing of the device.
bool device_is_broken();

void print_counters();

}  // namespace emulator
