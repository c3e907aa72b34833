#pragma once

#include <optional>

#include "program/commands/records.hpp"
#include "program/slurm/batch.hpp"

namespace carbo::program {

/// In the unit of the budget, what an evaluation costs of which nobody measured it: by the seconds that it ran.
/// Absent where time says nothing of costs.
std::optional<double> cost_by_time(const StudyFile& study, double wall_seconds);

/// What a task drops: a result and which point of which study it is of. A cost that nobody can know there is left
/// out.
Json json_of_result(const TaskOrder& order, const EvaluationRecord& record, double started, double ended);

struct TaskResult {
  Json configuration;
  ResultRecord record;
};
/// What was dropped, by the text of its file; absent where it is another study's. Throws InvalidObservation.
std::optional<TaskResult> task_result(const Space& space, const std::string& study_mark, const std::string& words);

/// Takes in what tasks dropped while nobody ran the study, as `carbo tell --spool` does. What it returns is to be
/// said; empty: nothing came.
std::string take_in_left(Study& study, const std::filesystem::path& slurm);

}  // namespace carbo::program
