// Reports of defects in the program under test, with the place where emulated work was.
#pragma once
#include <string>

#include "emulator.hpp"

namespace emulator {

struct Thread;

// What this host thread executes right now, for the reports.
struct ExecutionPlace {
  const char* work = nullptr;      // a kernel or another operation
  const Thread* thread = nullptr;  // the emulated thread, inside a kernel
};
extern thread_local ExecutionPlace execution_place;

// Names the work for the time of its execution.
class NamedWork {
 public:
  explicit NamedWork(const char* work) : before_(execution_place) { execution_place = {work, nullptr}; }
  ~NamedWork() { execution_place = before_; }

 private:
  ExecutionPlace before_;
};

std::string readable_name(const char* mangled);

// A message that is not a defect.
void note(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace emulator
