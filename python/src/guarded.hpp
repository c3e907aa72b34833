#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <utility>

#include <nanobind/nanobind.h>

#include <carbo/error.hpp>

#include "callables.hpp"
#include "module.hpp"

namespace carbo::python {

/// What Python holds of an engine: calls release the GIL and wait for one another, and an object that was made before
/// a fork is neither used nor destroyed after it.
template <class Engine>
class Guarded {
 public:
  /// `name`: of the object, in messages.
  Guarded(Engine engine, const char* name) : held_(new Held{std::move(engine)}), name_(name), process_(getpid()) {}
  ~Guarded() {
    // After a fork the threads that it would wait for are the other process's, and so are files and devices.
    if (process_ != getpid()) static_cast<void>(held_.release());
    if (!held_) return;
    const nb::gil_scoped_release free;
    held_.reset();
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  /// Throws OtherProcess after a fork, ConcurrentCall where a callable of the caller's calls what is calling it, and
  /// StorageError after `close`.
  template <class Call>
  auto call(const Call& call) {
    const nb::gil_scoped_release free;
    const std::unique_lock turn = take_turn();
    return call(held_->engine);
  }
  void close() {
    const nb::gil_scoped_release free;
    take_turn().unlock();
    held_.reset();
  }

 private:
  struct Held {
    Engine engine;
    std::mutex turn{};
  };

  std::unique_lock<std::mutex> take_turn() {
    if (process_ != getpid()) {
      throw OtherProcess(std::string("this ") + name_ + " was made in process " + std::to_string(process_) +
                         " and is used in its child " + std::to_string(getpid()) +
                         "; make it anew here (a study: pickle it, or open its file again)");
    }
    if (!held_) throw StorageError(std::string("this ") + name_ + " was closed; open it again");
    if (!inside_callable()) return std::unique_lock(held_->turn);
    std::unique_lock turn(held_->turn, std::try_to_lock);
    if (!turn) {
      throw ConcurrentCall(std::string("a constraint or a cost function calls the ") + name_ +
                           " that is calling it; it may look at its argument alone");
    }
    return turn;
  }

  std::unique_ptr<Held> held_;
  const char* name_;
  pid_t process_;
};

}  // namespace carbo::python
