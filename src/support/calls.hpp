#pragma once

#include <atomic>
#include <new>
#include <string>

#include <carbo/error.hpp>

/// What the calls of a public object have in common: one at a time, not after it was moved from, and no
/// std::bad_alloc out of any of them.
namespace carbo::internal {

/// Host memory has run out. Made without an allocation, for then there is none for words.
class HostExhausted final : public OutOfMemory {
 public:
  HostExhausted() : OutOfMemory("") {}
  const char* what() const noexcept override {
    return "there is not enough host memory; free some, or ask for less, and call again";
  }
};

/// Calls, and turns std::bad_alloc into an OutOfMemory.
template <class Call>
decltype(auto) with_typed_exhaustion(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw HostExhausted();
  }
}

/// The one call that is under way on an object; `object` names it in messages.
class Turn {
 public:
  Turn(std::atomic<bool>& busy, const char* object) : busy_(busy) {
    if (busy_.exchange(true, std::memory_order_acquire))
      throw ConcurrentCall(std::string("another call on this ") + object +
                           " has not returned; use it from one thread at a time");
  }
  ~Turn() { busy_.store(false, std::memory_order_release); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& busy_;
};

/// Runs `call` on the state behind an object, which has a flag `busy`.
template <class State, class Call>
decltype(auto) in_turn(State* state, const char* object, const Call& call) {
  return with_typed_exhaustion([&]() -> decltype(auto) {
    if (state == nullptr)
      throw InvalidOptions(std::string("the ") + object + " was moved from; use the one that it was moved to");
    const Turn turn(state->busy, object);
    return call(*state);
  });
}

}  // namespace carbo::internal
