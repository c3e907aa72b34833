#include "c/handles.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "support/text.hpp"

namespace carbo::internal::c {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Live>> live;
  std::uintptr_t last = 0;
};

/// Never destroyed: threads may call until the very end of the process.
Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

std::uintptr_t number_of(const carbo_selector* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

/// The caller holds the registry's mutex.
std::unique_ptr<Live>& find(Registry& all, carbo_selector* handle) {
  if (handle == nullptr)
    throw Refusal(CARBO_INVALID_HANDLE, "selector is null; give a handle that carbo_selector_create made");
  const auto found = all.live.find(number_of(handle));
  if (found != all.live.end()) return found->second;
  const bool destroyed = number_of(handle) <= all.last;
  throw Refusal(CARBO_INVALID_HANDLE, destroyed ? "selector was destroyed; make another one"
                                                : "selector is no handle that carbo_selector_create made");
}

void require_idle(const Live& live) {
  if (live.running == nullptr) return;
  throw Refusal(CARBO_CONCURRENT_CALL, text("another call on this selector (", live.running,
                                            ") has not returned; one at a time, or a selector for each thread"));
}

Live& enter(carbo_selector* handle, const char* function) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  Live& live = *find(all, handle);
  require_idle(live);
  live.running = function;
  return live;
}

}  // namespace

carbo_selector* add_handle(Selector selector, std::size_t columns) {
  auto live = std::make_unique<Live>(Live{std::move(selector), columns});
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const std::uintptr_t number = all.last + 1;
  all.live.emplace(number, std::move(live));
  all.last = number;
  return reinterpret_cast<carbo_selector*>(number);  // NOLINT(performance-no-int-to-ptr): it is never followed
}

void remove_handle(carbo_selector* handle) {
  Registry& all = registry();
  std::unique_ptr<Live> removed;  // destroyed after the mutex is free: a device is waited for
  const std::lock_guard lock(all.mutex);
  std::unique_ptr<Live>& live = find(all, handle);
  require_idle(*live);
  removed = std::move(live);
  all.live.erase(number_of(handle));
}

std::string handle_message(carbo_selector* handle) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return find(all, handle)->message;
}

void note_handle_failure(carbo_selector* handle, const std::string& message) noexcept {
  try {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.live.find(number_of(handle));
    if (found != all.live.end()) found->second->message = message;
  } catch (...) {  // no memory for the words; the status tells
  }
}

Call::Call(carbo_selector* handle, const char* function) : live_(enter(handle, function)) {}

Call::~Call() {
  const std::lock_guard lock(registry().mutex);
  live_.running = nullptr;
}

}  // namespace carbo::internal::c
