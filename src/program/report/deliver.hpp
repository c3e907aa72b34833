#pragma once

#include <string>

#include "program/commands/commands.hpp"

namespace carbo::program {

/// Writes a page to a file, whole or not at all, or to standard output ("-"); says so, beginning with `what`.
Exit deliver(Terminal& terminal, const std::string& output, const std::string& page, const std::string& what);

}  // namespace carbo::program
