// The limits of the emulated device; they follow the architecture that the program was compiled for.
#pragma once
#include <cstddef>

namespace emulator {

struct DeviceModel {
  int major, minor;
  int threads_per_multiprocessor, blocks_per_multiprocessor;
  int float32_per_float64;  // rates
  std::size_t shared_per_multiprocessor, shared_opt_in, reserved_shared;
};

constexpr std::size_t shared_without_opt_in = 48 << 10;
constexpr int multiprocessors = 4, max_threads_per_block = 1024, registers_per_thread = 32,
              registers_per_block = 65536;

inline DeviceModel device_model(int capability) {
  const int major = capability / 10, minor = capability % 10;
  if (capability < 80) return {major, minor, 1024, 16, 32, 64 << 10, 64 << 10, 0};
  if (capability == 80 || capability == 87) return {major, minor, 2048, 32, 2, 164 << 10, 163 << 10, 1024};
  if (capability < 90) return {major, minor, 1536, capability == 89 ? 24 : 16, 64, 100 << 10, 99 << 10, 1024};
  if (capability < 120) return {major, minor, 2048, 32, 2, 228 << 10, 227 << 10, 1024};
  return {major, minor, 1536, 24, 64, 100 << 10, 99 << 10, 1024};
}

}  // namespace emulator
