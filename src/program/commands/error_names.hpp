#pragma once

#include <exception>
#include <string>

#include "program/commands/commands.hpp"

namespace carbo::program {

/// The type of an error, as carbo/error.hpp has it; "Error" for others.
std::string error_name(const std::exception& error);
/// What the program ends with because of it.
Exit exit_of(const std::exception& error);

}  // namespace carbo::program
