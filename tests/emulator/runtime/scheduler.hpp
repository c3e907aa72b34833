// Executes a grid: blocks in a window, their threads as fibers, one at a time on the calling host thread.
#pragma once
#include <cstdint>

#include "../kernel/thread.hpp"

namespace emulator {

struct GridRequest {
  const KernelRecord* kernel;
  std::uint32_t grid[3], block[3];
  std::uint32_t dynamic_shared;
  const std::uint64_t* globals;
  std::uint8_t* const* parameters;
};

void run_grid(const GridRequest& request);

// A block with what the scheduler and the meeting points of its threads need.
struct ResidentBlock : Block {
  static constexpr unsigned barriers = 16, warps = 32;
  std::uint32_t at_barrier[barriers];        // threads that wait there, or have announced their arrival
  std::uint32_t barrier_expected[barriers];  // 0: all threads of the block
  std::uint32_t waiting_lanes[warps], exited_lanes[warps];
  std::uint32_t exited;
};

// Called by a thread that cannot go on; returns when the scheduler resumes it.
void leave_to_scheduler(Thread& thread);

// A barrier was passed or a thread has ended: the watchdog starts anew.
void note_progress();

// Completes what the others wait for, where the exit of this thread was the last thing missing.
void complete_after_exit(Thread& exited);

// Describes for a report what every thread of the block waits for.
[[noreturn]] void report_deadlock(const ResidentBlock& block);

}  // namespace emulator
