// Calls that wait for the device or may do so.
#pragma once

namespace emulator {

// Counts it; with EMULATOR_WAITS=1 also prints it, with the library or program that made the call.
void count_wait(const char* call);

}  // namespace emulator
