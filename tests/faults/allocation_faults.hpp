#pragma once

#include <cstdint>

/// Allocations of the whole program: `operator new` in all its forms, and `malloc` where objects that are linked in
/// call it themselves, as Eigen does. Those inside a Window are counted, and can be made to fail.
namespace carbo::test::allocations {

enum class Fault {
  once,              ///< one allocation alone
  until_the_return,  ///< that one, and all that follow before the window closes: there is no memory for words either
};

/// Counts from 0 again; the `first` allocation inside a window (from 1 on) fails. 0: none does.
void plan(std::uint64_t first, Fault fault);
/// Inside windows since the plan was made.
std::uint64_t counted();
/// Whether one was made to fail.
bool struck();
/// Blocks that were allocated and not freed, whether in a window or not.
std::int64_t live();

/// One at a time; on every thread.
class Window {
 public:
  Window();
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
};

}  // namespace carbo::test::allocations
