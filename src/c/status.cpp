#include "c/status.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "c/c_names.hpp"
#include "support/calls.hpp"
#include "support/text.hpp"

namespace carbo::internal::c {
namespace {

thread_local std::string thread_message;

carbo_status status_of(InvalidArray::Reason reason) {
  switch (reason) {
    case InvalidArray::Reason::null_pointer:
      return CARBO_NULL_POINTER;
    case InvalidArray::Reason::not_device_memory:
      return CARBO_NOT_DEVICE_MEMORY;
    case InvalidArray::Reason::not_host_memory:
      return CARBO_NOT_HOST_MEMORY;
    case InvalidArray::Reason::other_device:
      return CARBO_OTHER_DEVICE;
    case InvalidArray::Reason::misaligned:
      return CARBO_MISALIGNED;
    case InvalidArray::Reason::overlapping:
      return CARBO_OVERLAPPING;
    case InvalidArray::Reason::leading_dimension:
      return CARBO_LEADING_DIMENSION;
    case InvalidArray::Reason::shape:
      return CARBO_SHAPE;
    case InvalidArray::Reason::not_finite:
      return CARBO_NOT_FINITE;
    case InvalidArray::Reason::out_of_range:
      return CARBO_OUT_OF_RANGE;
  }
  return CARBO_INTERNAL_ERROR;
}

/// Of one of our own errors.
carbo_status status_of(const Error& error) {
  if (const auto* const refusal = dynamic_cast<const Refusal*>(&error)) return refusal->status();
  if (const auto* const array = dynamic_cast<const InvalidArray*>(&error)) return status_of(array->reason());
  if (dynamic_cast<const InvalidOptions*>(&error) != nullptr) return CARBO_INVALID_OPTIONS;
  if (dynamic_cast<const InvalidSpace*>(&error) != nullptr) return CARBO_INVALID_SPACE;
  if (dynamic_cast<const InvalidPool*>(&error) != nullptr) return CARBO_INVALID_POOL;
  if (dynamic_cast<const InvalidConfiguration*>(&error) != nullptr) return CARBO_INVALID_CONFIGURATION;
  if (dynamic_cast<const InvalidObservation*>(&error) != nullptr) return CARBO_INVALID_OBSERVATION;
  if (dynamic_cast<const UnknownSuggestion*>(&error) != nullptr) return CARBO_UNKNOWN_SUGGESTION;
  if (dynamic_cast<const InvalidState*>(&error) != nullptr) return CARBO_INVALID_STATE;
  if (dynamic_cast<const NumericalError*>(&error) != nullptr) return CARBO_NUMERICAL_ERROR;
  if (dynamic_cast<const BackendUnavailable*>(&error) != nullptr) return CARBO_UNAVAILABLE;
  if (dynamic_cast<const HostExhausted*>(&error) != nullptr) return CARBO_OUT_OF_HOST_MEMORY;
  if (dynamic_cast<const OutOfMemory*>(&error) != nullptr) return CARBO_OUT_OF_MEMORY;
  if (dynamic_cast<const DeviceError*>(&error) != nullptr) return CARBO_DEVICE_ERROR;
  if (dynamic_cast<const ConcurrentCall*>(&error) != nullptr) return CARBO_CONCURRENT_CALL;
  return CARBO_INTERNAL_ERROR;
}

Outcome described(const char* function, carbo_status status, const char* message) noexcept {
  try {
    std::string words = text(function, ": ", in_c_names(without_call(function, message), face_of(function)));
    if (status == CARBO_UNAVAILABLE && !CARBO_C_CUDA_BUILT)
      words += text("; this library was built without the CUDA backend, which was ", carbo_cuda_build());
    return {status, std::move(words)};
  } catch (...) {
    return {status};
  }
}

}  // namespace

Outcome current_outcome(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return described(function, status_of(error), error.what());
  } catch (const std::bad_alloc&) {
    return described(function, CARBO_OUT_OF_HOST_MEMORY, HostExhausted().what());
  } catch (const std::exception& error) {
    return described(function, CARBO_INTERNAL_ERROR, error.what());
  } catch (...) {
    return described(function, CARBO_INTERNAL_ERROR, "something that is no std::exception was thrown");
  }
}

void note_failure(const std::string& message) noexcept {
  try {
    thread_message = message;
  } catch (...) {
    thread_message.clear();
  }
}

const std::string& last_failure() noexcept { return thread_message; }

void require_pointer(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Refusal(CARBO_NULL_POINTER, text(name, " is null; give where it lies"));
}

void copy_text(const std::string& text_to_copy, char* buffer, int64_t capacity, int64_t* length) {
  if (capacity < 0)
    throw Refusal(CARBO_SHAPE, text("capacity is ", capacity, "; give the size of the buffer, 0 or above"));
  if (capacity > 0) require_pointer(buffer, "buffer");
  if (length != nullptr) *length = static_cast<int64_t>(text_to_copy.size());
  if (capacity == 0) return;
  const std::size_t copied = std::min(text_to_copy.size(), static_cast<std::size_t>(capacity) - 1);
  std::memcpy(buffer, text_to_copy.data(), copied);
  buffer[copied] = '\0';
}

}  // namespace carbo::internal::c
