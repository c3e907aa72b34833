#include "program/slurm/task_result.hpp"

#include <algorithm>

#include "engine/time_unit.hpp"

namespace carbo::program {
namespace {

using Status = EvaluationRecord::Status;

}  // namespace

std::optional<double> cost_by_time(const StudyFile& study, double wall_seconds) {
  const double seconds = std::max(wall_seconds, least_measured);
  if (study.cost.source == Reading::Source::wall_clock) return seconds * study.cost.factor;
  const double unit = internal::seconds_per_unit(study.options.cost.unit);
  return unit > 0 ? std::optional(seconds / unit) : std::nullopt;
}

Json json_of_result(const TaskOrder& order, const EvaluationRecord& record, double started, double ended) {
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

}  // namespace carbo::program
