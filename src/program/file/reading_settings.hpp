#pragma once

#include "program/evaluation/command.hpp"
#include "program/file/section.hpp"

namespace carbo::program {

/// "json", "json:KEY", "stdout:PATTERN", "stderr:PATTERN", "file:PATH", "wall", "cpu" or "memory"; or a table with
/// one of json, stdout, stderr, file (and key), measure, and a factor. `what`: objective or cost, and the key by
/// default. Throws StudyFileError.
Reading read_reading(Section& file, const std::string& what);

/// Converts measured seconds to the unit of the budget. Throws StudyFileError where nobody says how.
void convert_measured(Section& file, const std::string& unit, Reading& cost);

}  // namespace carbo::program
