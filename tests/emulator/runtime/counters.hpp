// Counters, live objects and the fault plan.
#pragma once
#include <cstdint>

#include "../kernel/thread.hpp"
#include "emulator.hpp"

namespace emulator {

// Moves what a module's kernels have executed to the counters.
void take_work(Work& work);

// Keeps the largest value.
void count_peak(const char* counter, std::uint64_t value);

// True where the current device has a sticky error: all its calls fail, save those that ask nothing of the device.
bool device_is_broken();

void print_counters();

}  // namespace emulator
