#pragma once

#include <string>
#include <vector>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// 12345.6 as "12,346".
std::string grouped(double whole);
/// Three digits and a unit: "1.23 ms".
std::string seconds_text(double seconds);
/// Three digits, a prefix and a symbol: "1.23 GB".
std::string quantity_text(double value, const char* symbol);
/// "batch, batched".
std::string label(const Case& c);
/// "n = 100, m = 1,000, d = 6", with b and n_f where the job depends on them.
std::string sizes_text(const Case& c);

/// Where the report was made, one line a fact, and the machine's limits.
std::string environment_text(const Report& report);
/// One row a case, in Markdown: both backends beside each other where both were measured.
std::string results_table(const Report& report);
/// Sizes from which on the GPU is the faster one; empty where only one backend was measured.
std::string crossover_table(const Report& report);
/// One line a case that could not be run; empty where all could.
std::string failures_text(const Report& report);

}  // namespace carbo::bench
