#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "program/commands/commands.hpp"
#include "program/file/open_study.hpp"

namespace carbo::program {

/// `open_to_change`, and says what is to be said about it.
OpenedStudy opened_to_change(Terminal& terminal, const StudyArgument& which, const std::string& owner = {},
                             std::optional<std::chrono::milliseconds> lease = std::nullopt,
                             Changes changes = Changes::leave);

}  // namespace carbo::program
