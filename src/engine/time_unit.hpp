#pragma once

#include <string>
#include <vector>

namespace carbo::internal {

/// Seconds in one unit of time (ns, us, ms, s, min, h, d, or a usual longer spelling; from three letters on in any
/// case); 0 where the unit is not time.
double seconds_per_unit(const std::string& unit);

/// Known spellings that a unit, itself unknown, was probably meant to be; empty where it is another unit.
std::vector<std::string> near_time_units(const std::string& unit);

}  // namespace carbo::internal
