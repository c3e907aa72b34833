#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <variant>

#include <nanobind/nanobind.h>

#include <carbo/optimizer.hpp>
#include <carbo/study.hpp>

#include "callables.hpp"

namespace carbo::python {

/// An optimizer in memory or a study on a file, behind one face. Calls release the GIL and wait for one another.
class StudyHandle {
 public:
  explicit StudyHandle(Optimizer optimizer);
  explicit StudyHandle(carbo::Study study);
  ~StudyHandle();

  /// Calls with the one or the other. Throws OtherProcess after a fork, ConcurrentCall where a callable of a study
  /// calls that study.
  template <class Call>
  auto call(const Call& call) {
    const nb::gil_scoped_release free;
    const std::unique_lock turn = take_turn();
    return std::visit(call, held_->engine);
  }
  /// The same for what only a file has; throws InvalidOptions naming `what` where there is none.
  template <class Call>
  auto file_call(const char* what, const Call& call) {
    const nb::gil_scoped_release free;
    const std::unique_lock turn = take_turn();
    return call(file_study(what));
  }
  bool has_file() const { return has_file_; }
  void close();

 private:
  struct Held {
    std::variant<Optimizer, carbo::Study> engine;
    std::mutex turn{};
  };

  std::unique_lock<std::mutex> take_turn();
  carbo::Study& file_study(const char* what);

  std::unique_ptr<Held> held_;
  bool has_file_;
  pid_t process_;
};

}  // namespace carbo::python
