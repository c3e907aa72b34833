#pragma once

#include <filesystem>
#include <optional>

namespace carbo::program {

/// `carbo task`: makes one evaluation of a batch on the machine that it was given, and drops its result into the
/// spool folder. `index`: in the job array; absent: Slurm says it (SLURM_ARRAY_TASK_ID). Returns 0 where there is a
/// result, be it a failure. The caller has no threads yet. Throws Error.
int run_slurm_task(const std::filesystem::path& batch, std::optional<std::size_t> index);

}  // namespace carbo::program
