#pragma once

#include <cstddef>

#include "bench/study/command_line.hpp"
#include "bench/study/store.hpp"

namespace carbo::study {

/// Makes every run that the store lacks, `jobs` at a time. A run that throws is reported on standard error and left
/// out; returns how many did.
std::size_t make_runs(const CommandLine& command, RunStore& store);

}  // namespace carbo::study
