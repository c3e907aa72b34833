#pragma once

#include <memory>
#include <span>
#include <string>

#include "backend/backend.hpp"

namespace carbo::internal {

/// One compilation of src/backend/cpu.
struct CpuLevel {
  const char* name;  ///< v2, v3 or v4 of x86-64; "generic" where there is one level alone
  Backend* (*make)(const BackendOptions&);
};

/// Those in this library, ascending; not all of them need to run on this processor.
std::span<const CpuLevel> cpu_levels();

/// The level that the environment variable CARBO_CPU_LEVEL names or, where it is not set or empty, the best one that
/// this processor can run. Throws BackendUnavailable where there is no such level, or this processor cannot run it.
const CpuLevel& chosen_cpu_level();

/// All operations on the host with a thread pool of its own, at the level that is chosen; complete, and the reference
/// for other backends. A sweep sees observed rows only. A fantasised point whose pivot is at rounding level (a copy
/// of a noise-free point) gets `fantasy_pivot` of the mean diagonal instead: it then changes next to nothing.
std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options);

}  // namespace carbo::internal
