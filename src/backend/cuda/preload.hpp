#pragma once

namespace carbo::internal {

/// Loads every kernel of the library on the current device: loaded lazily, a kernel would take memory at its first
/// launch. Throws as throw_if_failed.
void preload_kernels();

}  // namespace carbo::internal
