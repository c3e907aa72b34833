#pragma once

#include <string>

#include <carbo/study.hpp>

#include "program/support/json.hpp"

namespace carbo::program {

/// A budget as people write it ("2h", "$25", "200 evaluations"), as limits of a study with these options. A number
/// without a unit is in that of the budget, or of evaluations where they are what is counted. Throws InvalidOptions.
StudyLimits limits_of(const std::string& amount, const Options& options);
/// The same of a request: {"budget": "2h"} or {"budget": 7200}.
StudyLimits limits_of(const Json& request, const Options& options);

}  // namespace carbo::program
