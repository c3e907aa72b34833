#pragma once

#include <string>

#include <carbo/selector.hpp>

#include "c/status.hpp"

namespace carbo::internal::c {

struct Live {
  Selector selector;
  std::size_t columns;
  const char* running = nullptr;  ///< the function that is inside; null: none
  std::string message{};          ///< of the last call that failed
};

/// The handles that were given out and not destroyed. Each is a number that is used once, so that one which was
/// destroyed is told from every other for ever.
carbo_selector* add_handle(Selector selector, std::size_t columns);
/// Throws CARBO_INVALID_HANDLE, or CARBO_CONCURRENT_CALL while a call runs.
void remove_handle(carbo_selector* handle);
std::string handle_message(carbo_selector* handle);
/// Nothing where the handle is not live.
void note_handle_failure(carbo_selector* handle, const std::string& message) noexcept;

/// Holds a handle's object for the length of one call; refused as remove_handle is.
class Call {
 public:
  Call(carbo_selector* handle, const char* function);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Selector& selector() { return live_.selector; }
  std::size_t columns() const { return live_.columns; }

 private:
  Live& live_;
};

/// One call on a handle. Its failure is told to the handle as well as to the thread.
template <class Action>
carbo_status handle_call(carbo_selector* handle, const char* function, const Action& action) noexcept {
  return guarded(function, [&] {
    Call call(handle, function);
    try {
      action(call);
    } catch (...) {
      note_handle_failure(handle, current_outcome(function).message);
      throw;
    }
  });
}

}  // namespace carbo::internal::c
