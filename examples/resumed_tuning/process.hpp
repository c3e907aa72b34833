#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace resumed_tuning {

struct ProcessResult {
  int exit_code = 0;       ///< 128 + signal where a signal ended it
  double cpu_seconds = 0;  ///< user + system time of the child
  std::size_t output_bytes = 0;
  std::string error_output;  ///< what it wrote to stderr, at most a few KiB
};

/// Receives the child's output piece by piece.
using OutputSink = std::function<void(std::string_view)>;

/// Runs `argv` (found on PATH, no shell) with standard input read from the file `input`; its output goes to `sink`
/// where there is one and is counted in any case. Safe to call from several threads. Throws std::system_error where
/// the process cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input,
                          const OutputSink& sink = {});

}  // namespace resumed_tuning
