#pragma once

#include <functional>

#include "program/evaluation/output.hpp"
#include "program/evaluation/spawner.hpp"

namespace carbo::program {

/// What a runner wants of a process that runs.
enum class Wish { go_on, end_gently, end_now };

/// How a process ended, and why.
struct ProcessEnd {
  Ended ended;
  bool timed_out = false;
  bool stopped = false;  ///< because the runner wished it
  bool lost = false;     ///< its supervisor was killed: nothing was measured
};

/// Runs a program to its end: reads both outputs as they come and ends it at `deadline` (on the steady clock) or by
/// `wish`, which is looked at ten times a second. Throws what the outputs throw, with all of its processes ended.
ProcessEnd run_process(Spawner& spawner, const Launch& launch, Descriptor input, Descriptor folder, Output& output,
                       Output& errors, double deadline, const std::function<Wish()>& wish);

}  // namespace carbo::program
