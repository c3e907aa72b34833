// What every function of the runtime API does first and last.
#pragma once
#include <cuda_runtime_api.h>

#include "counters.hpp"
#include "emulator.hpp"
#include "lock.hpp"
#include "settings.hpp"

namespace emulator {

// Keeps the error for cudaGetLastError of this host thread.
cudaError_t remember(cudaError_t error);

// True for calls that give something back.
bool releases(const char* call);

// The error with which a planned failure of the call shows.
cudaError_t planned_error(const char* call);

template <class Body>
cudaError_t api_call(const char* name, Body body, bool needs_device = true) {
  if (fails(name)) {
    // A broken device takes memory back, so that the test after this one starts clean.
    if (device_is_broken() && releases(name)) {
      Locked locked(runtime_lock());
      body();
    }
    return remember(planned_error(name));
  }
  if (needs_device && settings().device_count == 0) return remember(cudaErrorNoDevice);
  Locked locked(runtime_lock());
  return remember(body());
}

}  // namespace emulator
