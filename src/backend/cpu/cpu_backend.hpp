#pragma once

#include <memory>

#include "backend/backend.hpp"

namespace carbo::internal {

/// All operations on the host with a thread pool of its own; complete, and the reference for other backends.
/// A sweep sees observed rows only. A fantasised point whose pivot is at rounding level (a copy of a noise-free
/// point) gets `fantasy_pivot` of the mean diagonal instead: it then changes next to nothing.
std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options);

}  // namespace carbo::internal
