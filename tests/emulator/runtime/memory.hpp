// Device memory, and the host memory that kernels may touch. All functions expect the runtime lock to be held.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "../kernel/thread.hpp"

namespace emulator {

struct AllocationRequest {
  std::size_t bytes = 0;
  int device = 0;
  std::string call;            // what made it, for the reports
  bool open_now = true;        // kernels may touch it: a stream-ordered allocation opens when its stream gets there
  const void* pool = nullptr;  // that it comes from
  bool is_variable = false;    // of a module: not counted as an allocation of the program
};

struct Allocation : AllocationRequest {
  std::uint64_t address = 0;
  std::uint64_t number = 0;  // in the order of allocation, for the reports
  bool open = false;
};

enum class HostKind { pinned, registered, managed };

struct HostRange {
  std::uint8_t* start = nullptr;
  std::size_t bytes = 0;
  HostKind kind = HostKind::pinned;
  unsigned flags = 0;
};

// Null where the device has not enough memory left.
void* allocate_device(const AllocationRequest& request);
void open_allocation(void* address);

// The allocation that starts at the address; null where there is none.
const Allocation* find_allocation(const void* address);
// The live allocation that holds the address; null where there is none.
const Allocation* containing_allocation(const void* address);
void free_device(const void* address);

// Without the variables of modules.
std::size_t device_bytes_used(int device);
std::size_t all_device_bytes();

// The view that a kernel on this device gets: pointers to other devices miss it and take the slow path.
Arena device_view(int device);
bool in_device_arena(const void* address);

void add_host_range(HostRange range);
bool remove_host_range(const void* start);
const HostRange* containing_host_range(const void* address);

void allow_peer(int from, int to, bool allowed);
bool peer_allowed(int from, int to);

// "8 bytes after allocation 3 (cudaMalloc, 400 bytes)" and the like.
std::string describe_address(std::uint64_t address);

// Live bytes of a pool.
std::size_t pool_bytes(const void* pool);

void report_leaks();

}  // namespace emulator
