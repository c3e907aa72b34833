#pragma once

#include <utility>
#include <variant>

#include <carbo/optimizer.hpp>
#include <carbo/study.hpp>

#include "guarded.hpp"

namespace carbo::python {

/// An optimizer in memory or a study on a file, behind one face.
class StudyHandle {
 public:
  explicit StudyHandle(Optimizer optimizer) : engine_(std::move(optimizer), "study"), has_file_(false) {}
  explicit StudyHandle(carbo::Study study) : engine_(std::move(study), "study"), has_file_(true) {}

  /// Calls with the one or the other.
  template <class Call>
  auto call(const Call& call) {
    return engine_.call([&](Either& either) { return std::visit(call, either); });
  }
  /// The same for what only a file has; throws InvalidOptions naming `what` where there is none.
  template <class Call>
  auto file_call(const char* what, const Call& call) {
    if (!has_file_)
      throw InvalidOptions(std::string(what) + " needs a study on a file; this one is in memory (give it file=...)");
    return engine_.call([&](Either& either) { return call(std::get<carbo::Study>(either)); });
  }
  bool has_file() const { return has_file_; }
  void close() { engine_.close(); }

 private:
  using Either = std::variant<Optimizer, carbo::Study>;

  Guarded<Either> engine_;
  bool has_file_;
};

}  // namespace carbo::python
