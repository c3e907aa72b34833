// What tests tell the runtime and ask of it (emulator_control.h); counters and faults are in counters.cpp.
#include <cstdlib>
#include <cstring>

#include "emulator_control.h"
#include "lock.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "streams.hpp"

using namespace emulator;

void emulator_set(const char* variable, const char* value) {
  Locked locked(runtime_lock());
  if (std::strncmp(variable, "EMULATOR_", 9) != 0)
    defect("emulator_set: %s is not a variable of the emulator", variable);
  for (int device = 0; device < most_devices; ++device) finish_device(device);
  if (value)
    setenv(variable, value, 1);
  else
    unsetenv(variable);
  read_settings_again();
  restart_schedule();
}

unsigned long long emulator_device_bytes() {
  Locked locked(runtime_lock());
  return all_device_bytes();
}

unsigned long long emulator_pending_operations() {
  Locked locked(runtime_lock());
  return pending_operations();
}
