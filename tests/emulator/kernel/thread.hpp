// What a translated kernel runs on: its thread, its block and the checked access to memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulator {

struct Thread;
using KernelFunction = void (*)(Thread&, std::uint8_t* const* parameters);

// The device memory as kernels see it. A pointer that the program holds lies in [base, base + size), which the host
// may not touch; the same bytes are open at `kernel_alias`. valid_bytes has one entry for 16 bytes: how many of them,
// from the first on, belong to a live allocation.
struct Arena {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint8_t* kernel_alias = nullptr;
  const std::uint8_t* valid_bytes = nullptr;
};

// What a module's kernels have executed since the runtime last took it. Traffic is what threads ask for, each for
// itself, before any cache and before accesses of a warp are joined: more than a device's memory has to move.
struct Work {
  std::uint64_t float64_operations;  // add, sub, mul and approximations are one, fma is two
  std::uint64_t float64_divisions;   // div, rcp, sqrt and rsqrt: each is several operations of a device
  std::uint64_t float32_operations;  // divisions and roots are one here
  std::uint64_t bytes_read;          // of device memory
  std::uint64_t bytes_written;
  std::uint64_t atomics;  // on device memory

  // For addresses of which only the access shows where they lead.
  void read_anywhere(const Arena& arena, const std::uint8_t* from, std::uint32_t bytes) {
    if (leads_to(arena, from)) bytes_read += bytes;
  }
  void write_anywhere(const Arena& arena, const std::uint8_t* to, std::uint32_t bytes) {
    if (leads_to(arena, to)) bytes_written += bytes;
  }

 private:
  static bool leads_to(const Arena& arena, const std::uint8_t* address) {
    return static_cast<std::uint64_t>(address - arena.kernel_alias) < arena.size;
  }
};

struct KernelRecord {
  const char* name;
  KernelFunction run;
  const std::uint32_t* parameter_sizes;
  std::uint32_t parameter_count;
  std::uint32_t static_shared;
  std::uint32_t dynamic_shared_offset;
  const std::uint32_t* shared_offsets;  // of the module's shared variables, for device functions
  std::uint32_t local_bytes;
  std::uint32_t max_threads;        // 0: no limit of its own
  std::uint32_t required_block[3];  // 0: any
};

struct VariableRecord {
  const char* name;
  std::size_t size;
  bool constant;
  const void* initial;  // null: zeros
};

// An initial value that is an address: `variable` at `offset` holds the address of `target` plus `addend`.
struct AddressFixup {
  std::uint32_t variable;
  std::uint32_t offset;
  std::uint32_t target;
  std::int64_t addend;
};

// Every translated module exports one of these as `emulator_module`.
struct ModuleRecord {
  int target;
  const KernelRecord* kernels;
  std::uint32_t kernel_count;
  const VariableRecord* variables;
  std::uint32_t variable_count;
  const AddressFixup* fixups;
  std::uint32_t fixup_count;
  Arena* arena;  // the module's own copy, so that an access needs no indirection
  Work* work;
};

struct Block {
  std::uint32_t thread_dimensions[3], index[3], grid_dimensions[3];
  std::uint8_t* shared;
  std::uint32_t shared_size;
  const std::uint64_t* globals;  // addresses of the module's variables on this device
  const KernelRecord* kernel;
  std::uint32_t thread_count;
  Thread* threads;
};

enum class WarpOperation : std::uint8_t {
  sync,
  shuffle,
  ballot,
  match_any,
  match_all,
  elect,
  add,
  minimum_signed,
  minimum_unsigned,
  maximum_signed,
  maximum_unsigned,
  bit_and,
  bit_or,
  bit_xor
};
enum class BarrierReduction : std::uint8_t { none, popc, all, any };
enum class ThreadState : std::uint8_t { runnable, spinning, at_barrier, at_warp, done };
enum class Space : std::uint8_t { global, shared, local, generic };

struct Thread {
  std::uint32_t index[3], lane, warp, linear;
  Block* block;
  bool carry = false;  // the condition code of add.cc and its relatives
  ThreadState state = ThreadState::runnable;

  // Where the thread waits in its warp: what it brings, and what it takes away.
  WarpOperation operation;
  bool source_in_range;
  std::uint32_t mask, source_lane;
  std::uint64_t value, result;

  // Where it waits at a block barrier.
  std::uint32_t barrier_id, barrier_place;
  bool barrier_aligned, barrier_vote;
  std::uint32_t barrier_votes, barrier_voters;

  std::uint32_t loop_budget = loop_slice;
  std::uint32_t atomics_until_yield = 64;
  void* fiber = nullptr;
  std::uint8_t *stack_low = nullptr, *stack_high = nullptr;

  // So many backward branches may be taken before the others get a turn and the watchdog a look.
  static constexpr std::uint32_t loop_slice = 1u << 18;

  // Gives the other threads a turn: this one may be waiting for them in a loop.
  void spin();
  void spin_sometimes() {
    if (--atomics_until_yield == 0) {
      atomics_until_yield = 64;
      spin();
    }
  }
  void loop_slice_used();
  void loop_back() {
    if (__builtin_expect(--loop_budget == 0, 0)) loop_slice_used();
  }

  void barrier(std::uint32_t id, std::uint32_t expected_threads, std::uint32_t place, bool aligned);
  std::uint32_t barrier_reduce(BarrierReduction reduction, std::uint32_t id, bool vote, std::uint32_t place);
  void barrier_arrive(std::uint32_t id, std::uint32_t expected_threads);

  std::uint64_t exchange(WarpOperation what, std::uint64_t brought, std::uint32_t member_mask);
  std::uint32_t shuffle(char mode, std::uint32_t brought, std::uint32_t b, std::uint32_t c, std::uint32_t member_mask,
                        bool& in_range);
  std::uint32_t ballot(bool vote, std::uint32_t member_mask) {
    return static_cast<std::uint32_t>(exchange(WarpOperation::ballot, vote, member_mask));
  }
  std::uint32_t present_lanes() const {
    const std::uint32_t first = warp * 32, left = block->thread_count - first;
    return left >= 32 ? ~0u : (1u << left) - 1;
  }
  bool vote_any(bool vote, std::uint32_t mask) { return ballot(vote, mask) != 0; }
  bool vote_all(bool vote, std::uint32_t mask) { return ballot(!vote, mask) == 0; }
  bool vote_uni(bool vote, std::uint32_t mask) {
    const bool some_yes = vote_any(vote, mask), some_no = vote_any(!vote, mask);
    return !(some_yes && some_no);
  }

  std::uint64_t clock();
  void device_printf(const char* format, const std::uint8_t* arguments, std::uint32_t* printed);
  [[noreturn]] void failed_assertion(const char* text, const char* file, unsigned line, const char* function);
  [[noreturn]] void unsupported(const char* instruction);
  [[noreturn]] void trap();

  // The slow path of an access: other memory that the kernel may touch, or the report of a defect.
  std::uint8_t* other_address(std::uint64_t address, std::uint32_t bytes, Space space);

  bool in_shared(std::uint64_t address) const {
    return address - reinterpret_cast<std::uint64_t>(block->shared) < block->shared_size;
  }
  bool in_local(std::uint64_t address) const {
    return address >= reinterpret_cast<std::uint64_t>(stack_low) &&
           address < reinterpret_cast<std::uint64_t>(stack_high);
  }

  std::uint8_t* shared(std::uint32_t offset, std::uint32_t bytes) {
    const bool inside = static_cast<std::uint64_t>(offset) + bytes <= block->shared_size;
    if (__builtin_expect(!inside || (offset & (bytes - 1)) != 0, 0))
      return other_address(offset, bytes, Space::shared);
    return block->shared + offset;
  }

  std::uint8_t* local(std::uint64_t address, std::uint32_t bytes) {
    if (__builtin_expect(!in_local(address) || (address & (bytes - 1)) != 0, 0))
      return other_address(address, bytes, Space::local);
    return reinterpret_cast<std::uint8_t*>(address);
  }

  std::uint8_t* memory(const Arena& arena, std::uint64_t address, std::uint32_t bytes, Space space) {
    const std::uint64_t offset = address - arena.base;
    if (__builtin_expect(offset < arena.size && (address & (bytes - 1)) == 0, 1)) {
      const std::uint8_t* valid = arena.valid_bytes + (offset >> 4);
      const bool open = bytes <= 16 ? (offset & 15) + bytes <= *valid : valid[0] == 16 && valid[1] == 16;
      if (__builtin_expect(open, 1)) return arena.kernel_alias + offset;
    }
    return other_address(address, bytes, space);
  }
};

}  // namespace emulator
