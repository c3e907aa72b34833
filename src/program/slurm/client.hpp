#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "program/evaluation/spawner.hpp"

namespace carbo::program {

/// What becomes of a task that has no result.
enum class TaskFate {
  lives,      ///< waits or runs
  failed,     ///< ended by itself
  timed_out,  ///< ended by Slurm's time limit
  lost,       ///< cancelled, pre-empted, its node gone, or Slurm does not know it any more
};

/// A task of a job array, as squeue lists it.
struct QueuedTask {
  std::string job_name;
  std::uint64_t job = 0;    ///< of the array
  std::uint64_t index = 0;  ///< in the array
  std::string state;        ///< such as RUNNING
  std::string reason;       ///< such as Resources; of an end such as NonZeroExitCode
  double seconds = 0;       ///< that it has run, whole ones
};

TaskFate fate_of(const std::string& state);
/// Lines as `listing_format` has them; others are passed over.
std::vector<QueuedTask> queued_tasks(std::string_view listing);
/// Seconds of D-HH:MM:SS, HH:MM:SS or MM:SS; 0 of anything else.
double elapsed_seconds(std::string_view text);
/// Whether words of sbatch mean that nobody answered, so that the same may do better later.
bool slurm_is_away(const std::string& words);
/// Whether all that scancel complains of is that what it was to end has ended.
bool had_ended_before(const std::string& words);
/// What a command said, without line breaks.
std::string one_line(std::string words);

/// Throws InvalidOptions where one of Slurm's commands is not installed.
void require_slurm();

inline constexpr const char* listing_format = "%j|%F|%K|%T|%M|%r";

/// Slurm by its own commands, which need no accounting: sbatch, squeue, scancel. May be used from several threads.
class SlurmClient {
 public:
  /// `folder`: where what they say is kept.
  SlurmClient(Spawner& spawner, std::filesystem::path folder);

  /// What a command said, and how it ended; a code of -1 where it did not end within a minute or was stopped.
  struct Said {
    int code = -1;
    std::string out, err;
  };
  /// `options` and the script, as sbatch takes them.
  Said submit(const std::vector<std::string>& options, const std::stop_token& stop);
  /// Tasks of jobs of these names that Slurm knows, those that ended lately too; absent where it does not answer.
  std::optional<std::vector<QueuedTask>> list(const std::vector<std::string>& names, const std::stop_token& stop);
  /// Tasks as JOB_INDEX of the job of that name, or all of it where there are none. The number alone would not do: a
  /// controller that was killed may hand it out again, for somebody else's job. Returns why some may go on; empty:
  /// none do. Those that have ended are no mistake.
  std::string cancel(const std::string& job_name, const std::vector<std::string>& tasks, const std::stop_token& stop);

 private:
  Said call(const std::string& program, std::vector<std::string> arguments, const std::stop_token& stop);

  Spawner& spawner_;
  std::filesystem::path folder_;
  std::mutex mutex_;  ///< one call at a time: outputs are files of its name
};

}  // namespace carbo::program
