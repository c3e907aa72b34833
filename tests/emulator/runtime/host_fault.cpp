#include "host_fault.hpp"

#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "../kernel/thread.hpp"
#include "memory.hpp"
#include "report.hpp"

namespace emulator {
namespace {

std::uint64_t watched_start = 0, watched_bytes = 0;
struct sigaction before;

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (address - watched_start < watched_bytes)
    defect("host code touches device memory: %s", describe_address(address).c_str());
  if (const Thread* t = execution_place.thread) {
    const auto low = reinterpret_cast<std::uint64_t>(t->stack_low);
    if (address < low && low - address <= 65536)
      defect("an emulated thread overflowed its stack; EMULATOR_STACK sets the size");
  }
  // Not ours: the previous handler, or the default action when the instruction is repeated.
  if (before.sa_flags & SA_SIGINFO && before.sa_sigaction) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_host_faults(const void* start, std::size_t bytes) {
  watched_start = reinterpret_cast<std::uint64_t>(start);
  watched_bytes = bytes;
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before);
}

void prepare_thread_for_faults() {
  constexpr std::size_t bytes = 64 << 10;
  thread_local bool prepared = false;
  if (prepared) return;
  prepared = true;
  stack_t current = {};
  if (sigaltstack(nullptr, &current) == 0 && !(current.ss_flags & SS_DISABLE)) return;  // the program has its own
  stack_t stack = {};
  stack.ss_sp = std::malloc(bytes);  // kept as long as the thread may fault
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
}

}  // namespace emulator
