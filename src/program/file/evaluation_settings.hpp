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

RunSettings read_run_settings(Section& file);
/// durability, lease and lost.
void read_study_settings(Section& file, StudyOptions& how);

}  // namespace carbo::program
