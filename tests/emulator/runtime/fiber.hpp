// A fiber: a stack and the place where its execution stopped.
#pragma once
#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__) || defined(EMULATOR_UCONTEXT)
#define EMULATOR_USES_UCONTEXT 1
#include <ucontext.h>
#endif

namespace emulator {

struct Fiber {
#ifdef EMULATOR_USES_UCONTEXT
  ucontext_t context;
#else
  void* stack_pointer = nullptr;
#endif
};

struct Stack {
  std::uint8_t* low = nullptr;
  std::uint8_t* high = nullptr;
};

// The entry must not return: it switches away for good instead.
void prepare_fiber(Fiber& fiber, Stack stack, void (*entry)(void*), void* argument);
void switch_fiber(Fiber& from, Fiber& to);

// Stacks are kept for reuse: a launch needs hundreds of them.
Stack take_stack();
void give_stack_back(Stack stack);

}  // namespace emulator
