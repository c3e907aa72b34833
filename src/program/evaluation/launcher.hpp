#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include <carbo/space.hpp>

#include "program/evaluation/process.hpp"
#include "program/evaluation/readings.hpp"

namespace carbo::program {

/// One evaluation that is to be made.
struct Assignment {
  std::uint64_t id = 0;
  std::size_t worker = 0;                                    ///< from 0
  std::uint64_t seed = 0;                                    ///< of the study; CARBO_SEED is drawn from it and the id
  double seconds = std::numeric_limits<double>::infinity();  ///< on the wall clock, beside the settings' timeout
};

/// What an evaluation is watched by; both may be empty. Called by the thread that evaluates.
struct EvaluationWatch {
  std::function<Wish()> wish;                 ///< looked at ten times a second
  std::function<void(const StepLine&)> step;  ///< a line with a step came
};

/// How an evaluation ended, and what it took.
struct EvaluationRecord {
  enum class Status { succeeded, failed, timed_out, interrupted };
  Status status = Status::failed;
  double objective = 0;        ///< of a success
  std::optional<double> cost;  ///< in the unit of the budget, where it is known; of a success always
  std::string reason;          ///< of what is no success, one line
  std::string tail;            ///< last lines of what it wrote, of what is no success
  std::string remark;          ///< what is worth knowing beside: processes that were ended, output not kept
  std::map<std::string, double> metrics;
  double wall_seconds = 0;               ///< of all attempts
  double cpu_seconds = 0;                ///< of all processes of all attempts
  double peak_bytes = 0;                 ///< of the largest process
  std::optional<double> started, ended;  ///< seconds since 1970; absent: when it was handed over and came back
  std::size_t attempts = 0;
  bool hopeless = false;  ///< the program could not be started, and is the same for every configuration
};

/// Has evaluations made, here or elsewhere. May be used from several threads.
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Makes one, and waits for its end. Throws what concerns all of them.
  virtual EvaluationRecord evaluate(const Configuration& configuration, const Assignment& assignment,
                                    const EvaluationWatch& watch) = 0;
  /// The study has its result.
  virtual void told(std::uint64_t /*id*/) {}
};

}  // namespace carbo::program
