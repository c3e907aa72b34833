#pragma once

#include <cstddef>
#include <string>

#include <carbo/optimizer.hpp>
#include <carbo/selector.hpp>

#include "c/status.hpp"

namespace carbo::internal::c {

/// What is behind a handle.
template <class Handle>
struct Held;

template <>
struct Held<carbo_selector> {
  static constexpr const char* name = "selector";
  Selector selector;
  std::size_t columns;
};

template <>
struct Held<carbo_optimizer> {
  static constexpr const char* name = "optimizer";
  Optimizer optimizer;
  std::string backend_reason{};  ///< empty before the first suggestion
  std::string state{};           ///< of the last save
};

/// The handles that were given out and not destroyed. Each is a number that is used once, of any kind of handle, so
/// that one which was destroyed is told from every other for ever.
template <class Handle>
Handle* add_handle(Held<Handle> held);
/// Throws CARBO_INVALID_HANDLE, or CARBO_CONCURRENT_CALL while a call runs.
template <class Handle>
void remove_handle(Handle* handle);
/// Of the last call on it that failed.
template <class Handle>
std::string handle_message(Handle* handle);
/// Nothing where the handle is not live.
template <class Handle>
void note_handle_failure(Handle* handle, const std::string& message) noexcept;
/// From `enter` to `leave` the object is held for one call; refused as remove_handle is.
template <class Handle>
Held<Handle>& enter(Handle* handle, const char* function);
template <class Handle>
void leave(Handle* handle) noexcept;

/// One call on a handle. Its failure is told to the handle as well as to the thread.
template <class Handle, class Action>
carbo_status handle_call(Handle* handle, const char* function, const Action& action) noexcept {
  return guarded(function, [&] {
    Held<Handle>& held = enter(handle, function);
    struct Leave {
      Handle* handle;
      ~Leave() { leave(handle); }
    } const at_the_end{handle};
    try {
      action(held);
    } catch (...) {
      note_handle_failure(handle, current_outcome(function).message);
      throw;
    }
  });
}

}  // namespace carbo::internal::c
