#pragma once

#include <string>

#include <carbo/carbo.h>
#include <carbo/error.hpp>

namespace carbo::internal::c {

/// What the C face itself refuses.
class Refusal : public Error {
 public:
  Refusal(carbo_status status, const std::string& message) : Error(message), status_(status) {}
  carbo_status status() const { return status_; }

 private:
  carbo_status status_;
};

struct Outcome {
  carbo_status status = CARBO_OK;
  std::string message{};  ///< empty where there was no memory for it
};

/// Of the exception that is being handled.
Outcome current_outcome(const char* function) noexcept;

/// The calling thread's last failure, for carbo_message.
void note_failure(const std::string& message) noexcept;
const std::string& last_failure() noexcept;

/// Runs what may throw; the status is that of what was thrown.
template <class Action>
carbo_status guarded(const char* function, const Action& action) noexcept {
  try {
    action();
    return CARBO_OK;
  } catch (...) {
    const Outcome outcome = current_outcome(function);
    note_failure(outcome.message);
    return outcome.status;
  }
}

/// Throws CARBO_NULL_POINTER.
void require_pointer(const void* pointer, const char* name);

/// As carbo.h says of texts.
void copy_text(const std::string& text, char* buffer, int64_t capacity, int64_t* length);

}  // namespace carbo::internal::c
