#pragma once

namespace carbo::test {

/// Whether the tests were cross-compiled and run under qemu-user (preset arm64): the system then counts the
/// emulator's memory as theirs.
#ifdef CARBO_EMULATED_PROCESSOR
inline constexpr bool emulated_processor = true;
#else
inline constexpr bool emulated_processor = false;
#endif

}  // namespace carbo::test
