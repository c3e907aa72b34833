#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "bench/choice/split.hpp"
#include "replay/table.hpp"

namespace carbo::choice {

/// The table for whoever proposes freely in its space: a proposal costs and gives what the nearest row does (see
/// replay::NearestRow), and a row that was measured before is charged again. Name, optimum, mean cost and the largest
/// number of evaluations are those of the table.
replay::Problem snapped_problem(const replay::Problem& problem, std::shared_ptr<const replay::Table> table);

/// The tables of a set.
std::vector<replay::Problem> snapped_problems_of(ProblemSet set, const std::filesystem::path& data);

}  // namespace carbo::choice
