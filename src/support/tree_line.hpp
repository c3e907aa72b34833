#pragma once

#include <string>

#include "support/tree.hpp"

namespace carbo::internal {

/// As `to_text`, all on one line.
std::string to_line(const Tree& tree);

}  // namespace carbo::internal
