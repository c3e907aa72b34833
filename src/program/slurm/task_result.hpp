#pragma once

#include <optional>

#include "program/slurm/batch.hpp"

namespace carbo::program {

/// In the unit of the budget, what an evaluation costs of which nobody measured it: by the seconds that it ran.
/// Absent where time says nothing of costs.
std::optional<double> cost_by_time(const StudyFile& study, double wall_seconds);

/// What a task drops, as `carbo tell --spool` takes it. A cost that nobody can know there is left out.
Json json_of_result(const TaskOrder& order, const EvaluationRecord& record, double started, double ended);

}  // namespace carbo::program
