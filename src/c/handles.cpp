#include "c/handles.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "support/text.hpp"

namespace carbo::internal::c {
namespace {

template <class Handle>
struct Live {
  Held<Handle> held;
  const char* running = nullptr;  ///< the function that is inside; null: none
  std::string message{};          ///< of the last call that failed
};

template <class Handle>
using LiveHandles = std::unordered_map<std::uintptr_t, std::unique_ptr<Live<Handle>>>;

struct Registry {
  std::mutex mutex;
  LiveHandles<carbo_selector> selectors;
  LiveHandles<carbo_optimizer> optimizers;
  std::uintptr_t last = 0;

  LiveHandles<carbo_selector>& live(const carbo_selector*) { return selectors; }
  LiveHandles<carbo_optimizer>& live(const carbo_optimizer*) { return optimizers; }
};

/// Never destroyed: threads may call until the very end of the process.
Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

template <class Handle>
std::uintptr_t number_of(const Handle* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// The caller holds the registry's mutex.
template <class Handle>
std::unique_ptr<Live<Handle>>& find(Registry& all, Handle* handle) {
  const char* const name = Held<Handle>::name;
  if (handle == nullptr)
    throw Refusal(CARBO_INVALID_HANDLE, text(name, " is null; give a handle that carbo_", name, "_create made"));
  const auto found = all.live(handle).find(number_of(handle));
  if (found != all.live(handle).end()) return found->second;
  const bool destroyed = number_of(handle) <= all.last;
  throw Refusal(CARBO_INVALID_HANDLE, destroyed ? text(name, " was destroyed; make another one")
                                                : text(name, " is no handle that carbo_", name, "_create made"));
}

template <class Handle>
void require_idle(const Live<Handle>& live) {
  if (live.running == nullptr) return;
  const char* const name = Held<Handle>::name;
  throw Refusal(CARBO_CONCURRENT_CALL, text("another call on this ", name, " (", live.running,
                                            ") has not returned; one at a time, or a ", name, " for each thread"));
}

}  // namespace

template <class Handle>
Handle* add_handle(Held<Handle> held) {
  auto live = std::make_unique<Live<Handle>>(Live<Handle>{std::move(held)});
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const std::uintptr_t number = all.last + 1;
  auto* const handle = reinterpret_cast<Handle*>(number);  // NOLINT(performance-no-int-to-ptr): it is never followed
  all.live(handle).emplace(number, std::move(live));
  all.last = number;
  return handle;
}

template <class Handle>
void remove_handle(Handle* handle) {
  Registry& all = registry();
  std::unique_ptr<Live<Handle>> removed;  // destroyed after the mutex is free: a device is waited for
  const std::lock_guard lock(all.mutex);
  std::unique_ptr<Live<Handle>>& live = find(all, handle);
  require_idle(*live);
  removed = std::move(live);
  all.live(handle).erase(number_of(handle));
}

template <class Handle>
std::string handle_message(Handle* handle) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return find(all, handle)->message;
}

template <class Handle>
void note_handle_failure(Handle* handle, const std::string& message) noexcept {
  try {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.live(handle).find(number_of(handle));
    if (found != all.live(handle).end()) found->second->message = message;
  } catch (...) {  // no memory for the words; the status tells
  }
}

template <class Handle>
Held<Handle>& enter(Handle* handle, const char* function) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  Live<Handle>& live = *find(all, handle);
  require_idle(live);
  live.running = function;
  return live.held;
}

template <class Handle>
void leave(Handle* handle) noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.live(handle).find(number_of(handle))->second->running = nullptr;
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define CARBO_HANDLES_OF(Handle)                                           \
  template Handle* add_handle(Held<Handle>);                               \
  template void remove_handle(Handle*);                                    \
  template std::string handle_message(Handle*);                            \
  template void note_handle_failure(Handle*, const std::string&) noexcept; \
  template Held<Handle>& enter(Handle*, const char*);                      \
  template void leave(Handle*) noexcept;
CARBO_HANDLES_OF(carbo_selector)
CARBO_HANDLES_OF(carbo_optimizer)
#undef CARBO_HANDLES_OF
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace carbo::internal::c
