#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carbo::program {

/// A command that evaluates one configuration. In `arguments` and `environment` `{name}` stands for the value of a
/// parameter (and {id}, {seed}, {worker}, {dir}), `{{` and `}}` for braces.
struct Command {
  std::vector<std::string> arguments;      ///< the program first; never interpreted by a shell unless `shell`
  bool shell = false;                      ///< arguments[0] is a line for /bin/sh; values are quoted in it
  bool json_input = false;                 ///< the configuration as JSON on standard input
  bool parameters_in_environment = false;  ///< each value as CARBO_PARAM_name
  std::map<std::string, std::string> environment;
  std::string directory;  ///< where it runs; empty: where this process does
};

/// Where a number is read from.
struct Reading {
  enum class Source {
    json_line,   ///< the member `key` of the one JSON object without a `step` on a line of standard output
    pattern,     ///< first group of the last match of `pattern` in a line of standard output or standard error
    file,        ///< the file `path` ({dir} and so on stand for values): a number alone, or JSON with `key`
    wall_clock,  ///< seconds of the evaluation
    cpu,         ///< seconds of all its processes, user and system
    memory,      ///< peak bytes of the largest of its processes
  };
  Source source = Source::json_line;
  std::string key;      ///< of JSON
  std::string pattern;  ///< POSIX extended, and \d, \D: see Pattern
  bool standard_error = false;
  std::string path;
  double factor = 1;  ///< to the unit of the budget
};

/// How evaluations become tasks of Slurm's job arrays.
struct SlurmSettings {
  std::vector<std::string> options;  ///< of sbatch
  std::string setup;                 ///< lines for /bin/sh before a task begins
  double poll = 5;                   ///< seconds between two looks at the queue
  double settle = 10;      ///< seconds that the result of a task that has ended may take to be seen on a network disk
  std::size_t losses = 3;  ///< of one evaluation, the last of which makes it a failure
  bool cancels = false;    ///< a run that is ended cancels its tasks, instead of leaving them to the next one
};

/// How many run at once, on what, and what happens to those that do not end well.
struct RunSettings {
  enum class Launcher { local, slurm };
  std::size_t workers = 1;
  Launcher launcher = Launcher::local;
  SlurmSettings slurm;
  std::vector<int> gpus;          ///< CUDA_VISIBLE_DEVICES of worker i is gpus[i % size]; none: not set
  bool pin = false;               ///< each worker to processors of its own
  std::optional<double> timeout;  ///< seconds on the wall clock, beside what the library asks for
  double grace = 5;               ///< seconds between SIGTERM and SIGKILL
  std::vector<int> retry_codes;   ///< exit codes after which it is run again
  std::size_t retries = 0;
  bool charge_interrupted = false;       ///< what ran when the runner died: charged, or run again uncharged
  std::size_t output_limit = 64u << 20;  ///< bytes of each output that are kept in its file
};

}  // namespace carbo::program
