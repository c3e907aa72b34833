// Translated modules: found by the contents of the fat binary that the program registers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../kernel/thread.hpp"
#include "settings.hpp"

namespace emulator {

struct Module {
  std::string key;
  const ModuleRecord* record = nullptr;                // loaded at the first use
  std::vector<std::uint64_t> addresses[most_devices];  // of the variables, for each device; empty: not made yet
};

struct Kernel {
  Module* module = nullptr;
  const KernelRecord* record = nullptr;
  std::string name;
  int dynamic_shared_limit = -1;  // -1: what the 48 KB leave
};

Module* register_module(const void* fatbin_wrapper);
void register_kernel(Module* module, const void* host_function, const char* name);
void register_variable(Module* module, const void* host_variable, const char* name);
void unregister_module(Module* module);

// Null where nothing is registered under the address. Stops with a message where the translation is missing.
Kernel* find_kernel(const void* host_function);

// The device's copy of the variable; address 0 where nothing is registered.
struct VariablePlace {
  void* address = nullptr;
  std::size_t bytes = 0;
};
VariablePlace find_variable(const void* host_variable, int device);

// Makes the module's variables on the device and gives it the device's view of memory.
const std::uint64_t* prepare_module(Module& module, int device);

// Of the emulated devices, for example 75: EMULATOR_CAPABILITY, or the highest architecture among the loaded modules.
int compute_capability();

}  // namespace emulator
