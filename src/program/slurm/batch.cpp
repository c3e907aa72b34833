#include "program/slurm/batch.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carbo/error.hpp>

#include "program/evaluation/placeholders.hpp"
#include "program/support/files.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
namespace fs = std::filesystem;

constexpr const char* tasks_file = "tasks.json";

/// This program, by the path that it has on every machine of the cluster.
std::string own_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(text("cannot tell which program this is: ", error.message()));
  return program.string();
}

std::string task_script(const Batch& batch, const StudyFile& study) {
  const std::string& setup = study.run.slurm.setup;
  return text("#!/bin/sh\n", setup, setup.empty() ? "" : "\n", "exec ", shell_quoted(own_program()), " task ",
              shell_quoted(batch.folder.string()), "\n");
}

Json json_of_task(const BatchTask& task) {
  const Assignment& given = task.assignment;
  Json json{{"id", given.id}, {"worker", given.worker}, {"seed", given.seed}};
  if (std::isfinite(given.seconds)) json["seconds"] = given.seconds;
  json["configuration"] = task.configuration;
  return json;
}

Assignment assignment_of(const Json& json) {
  Assignment given{json.at("id").get<std::uint64_t>(), json.at("worker").get<std::size_t>(),
                   json.at("seed").get<std::uint64_t>()};
  if (json.contains("seconds")) given.seconds = json["seconds"].get<double>();
  return given;
}

/// What a file of a batch says. Throws Error that names it.
template <class Read>
auto read_json(const fs::path& file, const Read& read) {
  try {
    return read(Json::parse(read_whole_file(file)));
  } catch (const nlohmann::json::exception& error) {
    throw Error(text(file.string(), " is damaged: ", error.what()));
  }
}

fs::path end_file(const fs::path& batch, std::uint64_t id) { return batch / text(id, ".ended.json"); }

Batch read_batch(const fs::path& folder) {
  Batch batch = read_json(folder / tasks_file, [&](const Json& json) {
    // No mark: another study's.
    Batch read{folder, json.at("job_name").get<std::string>(), json.value("study_mark", ""), std::nullopt, {}};
    for (const Json& task : json.at("tasks")) read.tasks.push_back({assignment_of(task), task.at("configuration")});
    return read;
  });
  std::error_code error;
  if (fs::exists(folder / "job", error))
    if (const auto number = read_number(read_whole_file(folder / "job")))
      batch.job = static_cast<std::uint64_t>(*number);
  return batch;
}

}  // namespace

std::string Batch::task_name(std::size_t index) const { return job ? text(*job, "_", index) : ""; }

std::string mark_of(const Study& study) { return fmt::format("{} of {}", study.name(), study.summary().created); }

fs::path slurm_folder(const fs::path& evaluations) { return fs::absolute(evaluations) / "slurm"; }

fs::path results_folder(const fs::path& slurm) {
  fs::path folder = slurm / "results";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw StorageError(text("cannot make the folder ", folder.string(), ": ", error.message()));
  return folder;
}

void write_batch(const Batch& batch, const StudyFile& study) {
  std::error_code error;
  fs::create_directories(batch.folder, error);
  if (error) throw StorageError(text("cannot make the folder ", batch.folder.string(), ": ", error.message()));
  Json json{{"job_name", batch.job_name},
            {"study_mark", batch.study_mark},
            {"study", study.text},
            {"name", study.name},
            {"folder", (fs::current_path() / study.folder).string()}};
  json["tasks"] = Json::array();
  for (const BatchTask& task : batch.tasks) json["tasks"].push_back(json_of_task(task));
  replace_file(batch.folder / "task.sh", task_script(batch, study));
  replace_file(batch.folder / tasks_file, json_page(json) + "\n");
}

void note_job(const Batch& batch) { replace_file(batch.folder / "job", text(*batch.job, "\n")); }

void withdraw_batch(const Batch& batch) {
  std::error_code ignored;
  fs::rename(batch.folder / tasks_file, batch.folder / "withdrawn.json", ignored);
}

void note_cancelled(const Batch& batch, std::uint64_t id) {
  std::error_code ignored;
  fs::create_directories(batch.folder, ignored);  // it may not be written yet
  replace_file(batch.folder / text(id, ".cancelled"), "");
}

std::vector<Batch> earlier_batches(const fs::path& slurm) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(slurm, error))
    if (fs::exists(entry.path() / tasks_file, error)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  std::vector<Batch> batches;
  for (const fs::path& folder : folders) {
    try {
      batches.push_back(read_batch(folder));
    } catch (const Error&) {
      continue;  // damaged by a power cut, say: its tasks cannot read it either, and do nothing
    }
    for (BatchTask& task : batches.back().tasks)
      if (fs::exists(folder / text(task.assignment.id, ".cancelled"), error)) task.configuration = nullptr;
  }
  return batches;
}

TaskOrder read_order(const fs::path& folder, std::size_t index) {
  const Batch batch = read_batch(folder);
  if (index >= batch.tasks.size())
    throw Error(text(folder.string(), " has ", batch.tasks.size(), " tasks, and no task ", index));
  const BatchTask& task = batch.tasks[index];
  return read_json(folder / tasks_file, [&](const Json& json) {
    // Results of earlier times are of no use here, and their files may be large.
    const Setting none[] = {{"prior", "[]"}};
    StudyFile study = parse_study_file(json.at("name").get<std::string>(), json.at("study").get<std::string>(),
                                       json.at("folder").get<std::string>(), none);
    Configuration configuration = configuration_of(study.space, task.configuration);
    return TaskOrder{std::move(study),
                     batch.study_mark,
                     task.assignment,
                     std::move(configuration),
                     results_folder(folder.parent_path()),
                     batch.result_file(task.assignment.id)};
  });
}

void write_end(const fs::path& batch, std::uint64_t id, const TaskEnd& end) {
  Json json{{"interrupted", end.interrupted}, {"hopeless", end.hopeless},
            {"reason", end.reason},           {"tail", end.tail},
            {"remark", end.remark},           {"wall_seconds", end.wall_seconds}};
  json["steps"] = Json::array();
  for (const StepLine& step : end.steps)
    json["steps"].push_back({{"step", step.step}, {"time", step.time.value_or(0)}, {"values", step.values}});
  replace_file(end_file(batch, id), json_line(json) + "\n");
}

std::optional<TaskEnd> read_end(const fs::path& batch, std::uint64_t id) {
  std::error_code error;
  if (!fs::exists(end_file(batch, id), error)) return std::nullopt;
  return read_json(end_file(batch, id), [](const Json& json) {
    TaskEnd end{json.at("interrupted").get<bool>(),
                json.at("hopeless").get<bool>(),
                json.at("reason").get<std::string>(),
                json.at("tail").get<std::string>(),
                json.at("remark").get<std::string>(),
                json.at("wall_seconds").get<double>(),
                {}};
    for (const Json& step : json.at("steps"))
      end.steps.push_back({step.at("step").get<double>(), step.at("values").get<std::map<std::string, double>>(),
                           step.at("time").get<double>()});
    return end;
  });
}

}  // namespace carbo::program
