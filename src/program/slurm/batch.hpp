#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "program/evaluation/launcher.hpp"
#include "program/file/study_file.hpp"
#include "program/support/json.hpp"

namespace carbo::program {

/// One evaluation as a task of a job array.
struct BatchTask {
  Assignment assignment;
  Json configuration;
};

/// Evaluations that are submitted together, and the folder with all that their tasks need:
///   tasks.json     what is evaluated and how; without it a task does nothing
///   job            number of the job array, once Slurm has given one
///   task.sh        what Slurm runs
///   slurm-I.out    what task I of the array said itself
///   ID/            folder of the evaluation
///   ID.ended.json  what is known of it beside its result (TaskEnd)
///   ID.cancelled   the runner has taken it back
struct Batch {
  std::filesystem::path folder;
  std::string job_name;
  std::string study_mark;  ///< see mark_of
  std::optional<std::uint64_t> job;
  std::vector<BatchTask> tasks;

  std::string name() const { return folder.filename().string(); }
  std::string result_file(std::uint64_t id) const { return name() + "-" + std::to_string(id) + ".json"; }
  /// As Slurm calls a task; empty where the job is not known.
  std::string task_name(std::size_t index) const;
};

/// Whose evaluations they are. Ids begin anew in a study that is started over in the same folder.
std::string mark_of(const Study& study);

/// Below the folder of a study's evaluations.
std::filesystem::path slurm_folder(const std::filesystem::path& evaluations);
/// Where tasks drop their results; made where it is missing.
std::filesystem::path results_folder(const std::filesystem::path& slurm);

/// Makes the folder. `study`: how they are made. Throws Error.
void write_batch(const Batch& batch, const StudyFile& study);
void note_job(const Batch& batch);
/// A task of it that begins after this does nothing.
void withdraw_batch(const Batch& batch);
/// The runner has taken an evaluation back: the next one is another task.
void note_cancelled(const Batch& batch, std::uint64_t id);
/// Those of earlier runners, of other studies too, in the order in which they were made; what was taken back has no
/// configuration.
std::vector<Batch> earlier_batches(const std::filesystem::path& slurm);

/// What a task needs of its batch.
struct TaskOrder {
  StudyFile study;
  std::string study_mark;
  Assignment assignment;
  Configuration configuration;
  std::filesystem::path results;
  std::string result_file;
};
/// Throws Error where the folder is none, has been withdrawn, or has no such task.
TaskOrder read_order(const std::filesystem::path& batch, std::size_t index);

/// What is known of an evaluation beside its result.
struct TaskEnd {
  bool interrupted = false;  ///< it was asked to end, and has no result
  bool hopeless = false;     ///< see EvaluationRecord
  std::string reason, tail, remark;
  double wall_seconds = 0;
  std::vector<StepLine> steps;
};
void write_end(const std::filesystem::path& batch, std::uint64_t id, const TaskEnd& end);
std::optional<TaskEnd> read_end(const std::filesystem::path& batch, std::uint64_t id);

}  // namespace carbo::program
