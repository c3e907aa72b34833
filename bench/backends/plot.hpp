#pragma once

#include <string>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// An SVG document: seconds over m, both logarithmic, a panel for each combination of the other sizes, a line for
/// each job and backend. Empty where nothing was measured at two sizes of m.
std::string results_plot(const Report& report);

}  // namespace carbo::bench
