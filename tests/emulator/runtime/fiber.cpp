#include "fiber.hpp"

#include <sys/mman.h>

#include <vector>

#include "report.hpp"
#include "settings.hpp"

#ifndef EMULATOR_USES_UCONTEXT
// Saves what a call must preserve, changes the stack, restores. swapcontext would make two system calls.
extern "C" void emulator_switch_stack(void** save, void* load);
extern "C" void emulator_fiber_start();
asm(R"(
.text
.globl emulator_switch_stack
.hidden emulator_switch_stack
.type emulator_switch_stack, @function
emulator_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size emulator_switch_stack, .-emulator_switch_stack

.globl emulator_fiber_start
.hidden emulator_fiber_start
.type emulator_fiber_start, @function
emulator_fiber_start:
    movq %r12, %rdi
    callq *%r13
    ud2
.size emulator_fiber_start, .-emulator_fiber_start
)");
#endif

namespace emulator {

#ifdef EMULATOR_USES_UCONTEXT

namespace {
void start(unsigned entry_low, unsigned entry_high, unsigned argument_low, unsigned argument_high) {
  const auto join = [](unsigned low, unsigned high) { return static_cast<std::uintptr_t>(high) << 32 | low; };
  reinterpret_cast<void (*)(void*)>(join(entry_low, entry_high))(
      reinterpret_cast<void*>(join(argument_low, argument_high)));
}
}  // namespace

void prepare_fiber(Fiber& fiber, Stack stack, void (*entry)(void*), void* argument) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack.low;
  fiber.context.uc_stack.ss_size = stack.high - stack.low;
  fiber.context.uc_link = nullptr;
  const auto e = reinterpret_cast<std::uintptr_t>(entry), a = reinterpret_cast<std::uintptr_t>(argument);
  makecontext(&fiber.context, reinterpret_cast<void (*)()>(start), 4, static_cast<unsigned>(e),
              static_cast<unsigned>(e >> 32), static_cast<unsigned>(a), static_cast<unsigned>(a >> 32));
}

void switch_fiber(Fiber& from, Fiber& to) { swapcontext(&from.context, &to.context); }

#else

void prepare_fiber(Fiber& fiber, Stack stack, void (*entry)(void*), void* argument) {
  // What emulator_switch_stack pops, in its order: r15, r14, r13, r12, rbx, rbp, the return address.
  // Nine words: seven of these and two that leave the stack aligned to 16 bytes at the call of the entry.
  void** top = reinterpret_cast<void**>(stack.high) - 9;
  top[0] = top[1] = top[4] = top[5] = nullptr;
  top[2] = reinterpret_cast<void*>(entry);
  top[3] = argument;
  top[6] = reinterpret_cast<void*>(emulator_fiber_start);
  fiber.stack_pointer = top;
}

void switch_fiber(Fiber& from, Fiber& to) { emulator_switch_stack(&from.stack_pointer, to.stack_pointer); }

#endif

namespace {
std::vector<Stack>& free_stacks() {
  static auto* const stacks = new std::vector<Stack>;
  return *stacks;
}
std::size_t stacks_made = 0;
// A guard page splits a mapping; the kernel allows 65,530 mappings a process.
constexpr std::size_t guarded_stacks = 16000;
}  // namespace

Stack take_stack() {
  auto& free = free_stacks();
  if (!free.empty()) {
    const Stack stack = free.back();
    free.pop_back();
    return stack;
  }
  const std::size_t bytes = settings().stack_bytes, guard = 4096;
  void* memory =
      mmap(nullptr, guard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) defect("no memory for the stack of an emulated thread (%zu exist)", stacks_made);
  if (++stacks_made <= guarded_stacks) mprotect(memory, guard, PROT_NONE);
  // Tops at the same place of a page would share a few sets of the cache: they are spread over 16 KB.
  const std::size_t colour = stacks_made % 128 * 128;
  auto* low = static_cast<std::uint8_t*>(memory) + guard;
  return {low, low + bytes - colour};
}

void give_stack_back(Stack stack) { free_stacks().push_back(stack); }

}  // namespace emulator
