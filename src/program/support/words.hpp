#pragma once

#include "replay/csv.hpp"

namespace carbo::program {

using replay::trimmed;

}  // namespace carbo::program
