#include "program/slurm/task.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include <carbo/error.hpp>

#include "program/evaluation/evaluator.hpp"
#include "program/evaluation/signals.hpp"
#include "program/slurm/task_result.hpp"
#include "program/support/files.hpp"
#include "study/host.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using Status = EvaluationRecord::Status;

constexpr std::size_t most_steps = 10000;  // of one evaluation that are kept

std::size_t index_of(std::optional<std::size_t> given) {
  if (given) return *given;
  const char* const words = std::getenv("SLURM_ARRAY_TASK_ID");
  const auto number = words == nullptr ? std::nullopt : read_number(words);
  if (!number || !(*number >= 0))
    throw InvalidOptions(
        "SLURM_ARRAY_TASK_ID is not set; carbo task is called by Slurm's job arrays, or with --index");
  return static_cast<std::size_t>(*number);
}

/// Slurm sends SIGTERM to all processes of a task, so that a program may have ended by it before this one is told.
bool asked_to_end(const Signals& signals) {
  constexpr int looks = 25;
  for (int i = 0; i < looks && signals.first() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return signals.first() != 0;
}

}  // namespace

int run_slurm_task(const std::filesystem::path& batch, std::optional<std::size_t> index) {
  const std::filesystem::path folder = std::filesystem::absolute(batch);
  const TaskOrder order = read_order(folder, index_of(index));
  if (!order.study.command) throw Error(internal::text(folder.string(), ": the study has no command"));
  Spawner spawner;
  const Signals signals;  // Slurm's SIGTERM: a time limit, or somebody cancels it
  Evaluator evaluator(spawner, *order.study.command, order.study.objective, order.study.cost, order.study.run, folder,
                      order.study.space);
  TaskEnd end;
  EvaluationWatch watch;
  watch.wish = [&] { return signals.first() != 0 ? Wish::end_gently : Wish::go_on; };
  watch.step = [&](const StepLine& line) {
    if (end.steps.size() == most_steps || !std::isfinite(line.step)) return;
    end.steps.push_back({line.step, line.values, internal::machine_clock()});
    std::erase_if(end.steps.back().values, [](const auto& value) { return !std::isfinite(value.second); });
  };
  const double started = internal::machine_clock();
  const EvaluationRecord record = evaluator.evaluate(order.configuration, order.assignment, watch);
  end.interrupted =
      record.status == Status::interrupted || (record.status == Status::failed && asked_to_end(signals));
  end.hopeless = record.hopeless;
  end.reason = record.reason;
  end.tail = record.tail;
  end.remark = record.remark;
  end.wall_seconds = record.wall_seconds;
  write_end(folder, order.assignment.id, end);
  if (end.interrupted || end.hopeless) return 1;
  const Json result = json_of_result(order, record, started, internal::machine_clock());
  replace_file(order.results / order.result_file, json_line(result) + "\n");
  return 0;
}

}  // namespace carbo::program
