#pragma once

#include <functional>
#include <string>

#include "program/commands/commands.hpp"

namespace carbo::program {

/// Results taken in one by one: one that is refused is named, and does not keep the others out.
class Intake {
 public:
  explicit Intake(Terminal& terminal) : terminal_(terminal) {}

  /// `record`: false where it was not there any more. What concerns all of them (the storage, another process) is
  /// thrown.
  void take(const std::string& name, const std::function<bool()>& record);
  /// Says how many.
  Exit end() const;

 private:
  Terminal& terminal_;
  std::size_t taken_ = 0, refused_ = 0;
};

}  // namespace carbo::program
