#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program/evaluation/descriptor.hpp"

namespace carbo::program {

/// A program to be started.
struct Launch {
  std::vector<std::string> arguments;              ///< looked for in PATH where the first has no slash
  std::map<std::string, std::string> environment;  ///< beside the runner's own
  std::string directory;                           ///< empty: the runner's own
  std::vector<int> processors;                     ///< that it may use; none: all
  double grace = 5;                                ///< seconds between SIGTERM and SIGKILL
};

/// What a program is given and what holds its folder while it lives.
struct LaunchFiles {
  Descriptor input, output, errors, folder;
};

/// How it ended, as its supervisor says through the control socket; once, when none of its processes is left.
struct Ended {
  enum Stage : std::int32_t { ran, directory, program, processors, no_process };
  std::int32_t stage = ran;      ///< what could not be done; with the reason in `error`
  std::int32_t error = 0;        ///< errno
  std::int32_t status = 0;       ///< as waitpid has it
  std::int32_t outlived = 0;     ///< processes that were still there after it, and were ended
  std::int32_t unstoppable = 0;  ///< processes that did not even end at SIGKILL
  double wall_seconds = 0;       ///< until the program itself ended
  double cpu_seconds = 0;        ///< user and system, of all its processes
  double peak_bytes = 0;         ///< resident, of the largest of them
};

/// What a runner says to a supervisor, a byte each. The runner's end of the socket gone means `end_now`.
inline constexpr char end_gently = 't';  ///< SIGTERM, and after the grace SIGKILL
inline constexpr char end_now = 'k';     ///< SIGKILL

/// Runs a program as a process group and sees to all of its descendants: this process is their subreaper, so that
/// those whose parents have ended become its own children, whatever group or session they moved to. Never returns;
/// for a process that was made for this.
[[noreturn]] void supervise(const Launch& launch, LaunchFiles files, Descriptor control);

}  // namespace carbo::program
