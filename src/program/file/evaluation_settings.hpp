#pragma once

#include <optional>

#include <carbo/space.hpp>
#include <carbo/study.hpp>

#include "program/evaluation/command.hpp"
#include "program/file/section.hpp"

namespace carbo::program {

/// `command` (an array, or a text of words), or `shell` (a line for /bin/sh); absent where there is neither. Throws
/// StudyFileError, also where a placeholder is no parameter.
std::optional<Command> read_command(Section& file, const Space& space);

/// "json", "json:KEY", "stdout:PATTERN", "stderr:PATTERN", "file:PATH", "wall", "cpu" or "memory"; or a table with
/// one of json, stdout, stderr, file (and key), measure, and a factor. `what`: objective or cost, and the key by
/// default. Throws StudyFileError.
Reading read_reading(Section& file, const std::string& what);

/// Converts measured seconds to the unit of the budget. Throws StudyFileError where nobody says how.
void convert_measured(Section& file, const std::string& unit, Reading& cost);

RunSettings read_run_settings(Section& file);
/// durability, lease and lost.
void read_study_settings(Section& file, StudyOptions& how);

}  // namespace carbo::program
