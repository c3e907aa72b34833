#include "program/evaluation/verdict.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
using Status = EvaluationRecord::Status;

/// Empty where the program was started.
std::string launch_fault(const Attempt& attempt, const Ended& ended) {
  const char* const why = std::strerror(ended.error);
  switch (ended.stage) {
    case Ended::directory:
      return text("cannot run in the folder ", attempt.directory, ": ", why);
    case Ended::processors:
      return text("cannot be pinned to processors: ", why);
    case Ended::no_process:
      return text("no process could be made: ", why);
    case Ended::program:
      break;
    default:
      return {};
  }
  const bool path = attempt.program.find('/') != std::string::npos;
  if (ended.error == ENOENT)
    return path ? text("command not found: there is no file ", attempt.program,
                       " (or the interpreter that its first line names is missing)")
                : text("command not found: ", attempt.program, " is in no folder of PATH");
  if (ended.error == EACCES) return text("not executable: ", attempt.program, " (chmod +x, if it is a program)");
  if (ended.error == ENOEXEC)
    return text("not executable: ", attempt.program,
                " is neither a program nor a script with a first line as '#!/bin/sh'");
  return text("cannot start ", attempt.program, ": ", why);
}

std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? text("signal ", number) : text("SIG", name);
}

/// Empty where it ended by itself with 0.
std::string end_fault(const Ended& ended) {
  if (WIFSIGNALED(ended.status)) {
    const int number = WTERMSIG(ended.status);
    return text("killed by ", signal_name(number), " (", ::sigdescr_np(number), ")",
                number == SIGKILL ? "; the kernel does so when memory runs out" : "");
  }
  return WEXITSTATUS(ended.status) == 0 ? "" : text("exit code ", WEXITSTATUS(ended.status));
}

std::string last_words(const Output& output, const Output& errors) {
  const std::string words = errors.tail(1).empty() ? output.tail(1) : errors.tail(1);
  return words.empty() ? "" : ": " + words.substr(0, 200);
}

std::string remark(const Attempt& attempt, const Ended& ended, const Output& output, const Output& errors) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
  if (ended.outlived > 0)
    add(text(ended.outlived, ended.outlived == 1 ? " process" : " processes", " outlived it and ",
             ended.outlived == 1 ? "was" : "were", " ended"));
  if (ended.unstoppable > 0) add(text(ended.unstoppable, " of its processes did not end at SIGKILL"));
  for (const Output* const one : {&output, &errors})
    if (one->cut())
      add(text("of ", one->bytes(), " bytes of its standard ", one == &output ? "output" : "error", " the first ",
               attempt.output_limit, " are kept"));
  return words;
}

}  // namespace

EvaluationRecord verdict(const Attempt& attempt, const ProcessEnd& end, const ResultReader& reader,
                         const Output& output, const Output& errors) {
  EvaluationRecord record;
  record.wall_seconds = end.ended.wall_seconds;
  record.cpu_seconds = end.ended.cpu_seconds;
  record.peak_bytes = end.ended.peak_bytes;
  record.remark = remark(attempt, end.ended, output, errors);
  record.metrics = reader.metrics();
  if (end.lost) {
    record.reason = "the process that looked after it was killed; nothing was measured";
    return record;
  }
  const Read cost = reader.cost(end.ended);
  record.cost = cost.number;
  const auto fail = [&](Status status, std::string reason) {
    record.status = status;
    record.reason = std::move(reason);
    record.tail = errors.bytes() > 0 ? errors.tail(Evaluator::tail_lines) : output.tail(Evaluator::tail_lines);
    return record;
  };
  if (std::string fault = launch_fault(attempt, end.ended); !fault.empty()) return fail(Status::failed, fault);
  if (end.stopped) return fail(Status::interrupted, "interrupted");
  if (end.timed_out) return fail(Status::timed_out, text("ended after ", attempt.seconds, " s, its timeout"));
  if (const std::string fault = end_fault(end.ended); !fault.empty())
    return fail(Status::failed, fault + last_words(output, errors));
  const Read objective = reader.objective(end.ended);
  if (!objective.number) return fail(Status::failed, objective.fault);
  if (!cost.number) return fail(Status::failed, cost.fault);
  record.status = Status::succeeded;
  record.objective = *objective.number;
  return record;
}

}  // namespace carbo::program
