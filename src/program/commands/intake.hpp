#pragma once

#include <functional>
#include <string>

#include "program/commands/commands.hpp"

namespace carbo::program {

/// Results taken in one by one: one that is refused is named, and does not keep the others out.
class Intake {
 public:
  explicit Intake(Terminal& terminal) : terminal_(terminal) {}

  /// Whether it was taken in. What concerns all of them (the storage, another process) is thrown.
  bool take(const std::string& name, const std::function<void()>& record);
  /// Says how many.
  Exit end() const;

 private:
  Terminal& terminal_;
  std::size_t taken_ = 0, refused_ = 0;
};

}  // namespace carbo::program
