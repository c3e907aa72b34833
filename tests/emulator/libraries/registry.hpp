// The live objects of one opaque type. A handle that is not among them was never created, or was destroyed: the real
// libraries would follow the dangling pointer, here it is a defect.
#pragma once
#include <mutex>
#include <unordered_set>

#include "emulator.hpp"

namespace standin {

template <class Object>
class Registry {
 public:
  // `kind` names the objects for emulator_live().
  explicit Registry(const char* kind) : kind_(kind) {}

  Object* create() {
    Object* object = new Object;
    const std::lock_guard<std::mutex> lock(mutex_);
    live_.insert(object);
    emulator::track(kind_, 1);
    return object;
  }

  bool contains(Object* object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_.count(object) != 0;
  }

  void destroy(Object* object) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      live_.erase(object);
      emulator::track(kind_, -1);
    }
    delete object;
  }

 private:
  const char* const kind_;
  std::mutex mutex_;
  std::unordered_set<Object*> live_;
};

}  // namespace standin
