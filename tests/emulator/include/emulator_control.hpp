// emulator_control.h for C++ tests: settings and fault plans that end with their scope.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>

#include "emulator_control.h"

namespace emulator {

// One EMULATOR_ variable for the life of the object: Setting lazy("EMULATOR_STREAMS", "lazy");
class Setting {
 public:
  Setting(const char* variable, const std::string& value) : variable_(variable) {
    if (const char* before = std::getenv(variable)) before_ = before;
    emulator_set(variable, value.c_str());
  }
  ~Setting() { emulator_set(variable_, before_ ? before_->c_str() : nullptr); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* variable_;
  std::optional<std::string> before_;
};

// A fault plan for the life of the object. reached() tells whether the call came that far.
class Fault {
 public:
  explicit Fault(const std::string& plan) { emulator_set_fault(plan.c_str()); }
  ~Fault() { emulator_set_fault(nullptr); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;

  bool reached() const { return emulator_fault_reached() != 0; }
};

}  // namespace emulator
