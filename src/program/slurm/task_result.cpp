#include "program/slurm/task_result.hpp"

#include <algorithm>

#include "engine/time_unit.hpp"
#include "program/commands/spool.hpp"
#include "program/commands/spool_folder.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
using Status = EvaluationRecord::Status;

Json json_of_record(const TaskOrder& order, const EvaluationRecord& record, double started, double ended) {
  Json json{{"id", order.assignment.id}};
  std::optional<double> cost = record.cost;
  if (record.status == Status::succeeded) {
    json["objective"] = record.objective;
  } else {
    json["failed"] = record.reason;
    json["timed_out"] = record.status == Status::timed_out;
    if (!cost) cost = cost_by_time(order.study, record.wall_seconds);
  }
  if (cost) json["cost"] = *cost;
  json["started"] = started;
  json["ended"] = ended;
  std::map<std::string, double> metrics = record.metrics;
  metrics.emplace("wall_seconds", record.wall_seconds);
  metrics.emplace("cpu_seconds", record.cpu_seconds);
  metrics.emplace("peak_bytes", record.peak_bytes);
  json["metrics"] = metrics;
  return json;
}

/// A study whose file was put back as it was hands out ids again, for other points.
void require_same_point(const Study& study, const TaskResult& result) {
  const auto trial = study.trial(*result.record.id);
  if (!trial) throw InvalidObservation(text("the study has no evaluation ", *result.record.id));
  if (json_of(trial->configuration) != result.configuration)
    throw InvalidObservation(text("it is of another point than evaluation ", *result.record.id, " of the study"));
}

}  // namespace

std::optional<double> cost_by_time(const StudyFile& study, double wall_seconds) {
  const double seconds = std::max(wall_seconds, least_measured);
  if (study.cost.source == Reading::Source::wall_clock) return seconds * study.cost.factor;
  const double unit = internal::seconds_per_unit(study.options.cost.unit);
  return unit > 0 ? std::optional(seconds / unit) : std::nullopt;
}

Json json_of_result(const TaskOrder& order, const EvaluationRecord& record, double started, double ended) {
  return {{"study_mark", order.study_mark},
          {"configuration", json_of(order.configuration)},
          {"result", json_of_record(order, record, started, ended)}};
}

std::optional<TaskResult> task_result(const Space& space, const std::string& study_mark, const std::string& words) {
  const Json json = spooled_json(words);
  if (!json.is_object() || json.value("study_mark", Json()) != study_mark) return std::nullopt;
  return TaskResult{json.value("configuration", Json()), spooled_result(space, json.value("result", Json()))};
}

std::string take_in_left(Study& study, const std::filesystem::path& slurm) {
  const SpoolFolder spool(results_folder(slurm).string());
  const std::string mark = mark_of(study);
  std::size_t taken = 0, late = 0;
  std::string refused;
  for (const std::string& name : spool.names()) {
    try {
      const std::optional<std::string> words = spool.read(name);
      if (!words) continue;
      const auto result = task_result(study.space(), mark, *words);
      // The launcher says what is another study's, and the loop what a failure without a cost costs.
      if (!result || !result->record.cost) continue;
      require_same_point(study, *result);
      try {
        take_in(study, result->record);
        ++taken;
      } catch (const UnknownSuggestion&) {
        ++late;  // another task, or somebody else, was faster
      }
      spool.set_aside(name);
    } catch (const InvalidObservation& error) {
      refused += text("; ", spool.path(), "/", name, " is not taken in: ", error.what());
    }
  }
  if (taken + late == 0 && refused.empty()) return {};
  return text(taken, taken == 1 ? " result was" : " results were", " dropped by tasks while nobody ran the study",
              late > 0 ? text(" (and ", late, " that the study has already)") : std::string(), refused);
}

}  // namespace carbo::program
