#include "program/evaluation/evaluator.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include <carbo/error.hpp>

#include "program/evaluation/verdict.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what, const fs::path& file, int error) {
  throw StorageError(text("cannot ", what, " ", file.string(), ": ", std::strerror(error)));
}

/// False where another process has it. File systems that know no locks lock nobody out.
bool locked(const Descriptor& folder) {
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// A new folder with this process's lock on it. What an evaluation of this id left is removed, once the last of its
/// processes is gone: a supervisor holds the lock as long.
Descriptor fresh_folder(const fs::path& folder) {
  const auto until = std::chrono::steady_clock::now() + Evaluator::folder_wait;
  while (true) {
    const Descriptor old(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!old.open()) break;
    if (locked(old)) {
      std::error_code error;
      fs::remove_all(folder, error);
      if (error) refuse("empty", folder, error.value());
      break;
    }
    if (std::chrono::steady_clock::now() > until)
      throw StorageError(text(folder.string(), " is in use: an evaluation of the same id still runs there"));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse("make the folder", folder, error.value());
  Descriptor made(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!made.open()) refuse("open the folder", folder, errno);
  if (!locked(made)) refuse("lock the folder", folder, errno);
  return made;
}

Descriptor open_input(const fs::path& file) {
  Descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input.open()) refuse("open", file, errno);
  return input;
}

void write_whole(const fs::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content << std::flush;
  if (!stream) refuse("write", file, errno);
}

}  // namespace

Evaluator::Evaluator(Spawner& spawner, Command command, Reading objective, Reading cost, RunSettings settings,
                     const fs::path& folder, const Space& space)
    : spawner_(spawner),
      command_(std::move(command)),
      readings_(std::move(objective), std::move(cost)),
      settings_(std::move(settings)),
      folder_(fs::absolute(folder)) {
  check_command(command_, space);
}

fs::path Evaluator::folder(std::uint64_t id) const { return folder_ / std::to_string(id); }

Words Evaluator::words(const Configuration& configuration, const Assignment& assignment) const {
  Words words = value_texts(configuration);
  words["id"] = std::to_string(assignment.id);
  words["worker"] = std::to_string(assignment.worker);
  words["seed"] = std::to_string(seed_of(assignment.seed, assignment.id));
  words["dir"] = folder(assignment.id).string();
  return words;
}

Launch Evaluator::launch(const Configuration& configuration, const Assignment& assignment, const Words& words) const {
  Launch launch;
  if (command_.shell) {
    launch.arguments = {"/bin/sh", "-c", expand(command_.arguments.at(0), words, Quoting::shell)};
  } else {
    for (const std::string& argument : command_.arguments) launch.arguments.push_back(expand(argument, words));
  }
  std::map<std::string, std::string>& environment = launch.environment;
  environment["CARBO_ID"] = words.at("id");
  environment["CARBO_WORKER"] = words.at("worker");
  environment["CARBO_SEED"] = words.at("seed");
  environment["CARBO_DIR"] = words.at("dir");
  if (command_.parameters_in_environment)
    for (const Parameter& parameter : configuration.parameters())
      environment["CARBO_PARAM_" + parameter.name()] = words.at(parameter.name());
  if (!settings_.gpus.empty())
    environment["CUDA_VISIBLE_DEVICES"] = std::to_string(settings_.gpus[assignment.worker % settings_.gpus.size()]);
  for (const auto& [name, value] : command_.environment) environment[name] = expand(value, words);
  launch.directory = command_.directory;
  if (settings_.pin) launch.processors = processors_of(assignment.worker, settings_.workers);
  launch.grace = settings_.grace;
  return launch;
}

EvaluationRecord Evaluator::attempt(const Configuration& configuration, const Assignment& assignment,
                                    const EvaluationWatch& watch, const Limit& limit, int& exit_code) const {
  const fs::path own = folder(assignment.id);
  Descriptor held = fresh_folder(own);
  const Words named = words(configuration, assignment);
  fs::path input = "/dev/null";
  if (command_.json_input) {
    input = own / "input.json";
    write_whole(input, json_text(configuration) + "\n");
  }
  ResultReader reader(readings_, command_.directory, named, watch.step);
  Output output(own / "stdout", settings_.output_limit, [&](std::string_view line) { reader.output_line(line); });
  Output errors(own / "stderr", settings_.output_limit, [&](std::string_view line) { reader.error_line(line); });
  const Launch launched = launch(configuration, assignment, named);
  const double deadline = internal::steady_seconds() + limit.left;
  const ProcessEnd end =
      run_process(spawner_, launched, open_input(input), std::move(held), output, errors, deadline, watch.wish);
  exit_code =
      !end.lost && !end.timed_out && !end.stopped && end.ended.stage == Ended::ran && WIFEXITED(end.ended.status)
          ? WEXITSTATUS(end.ended.status)
          : -1;
  EvaluationRecord record =
      verdict({launched.arguments.at(0), command_.shell, launched.directory, limit.seconds, settings_.output_limit},
              end, reader, output, errors);
  record.hopeless = !end.lost && end.ended.stage != Ended::ran && placeholders(command_.arguments.at(0)).empty();
  return record;
}

EvaluationRecord Evaluator::evaluate(const Configuration& configuration, const Assignment& assignment,
                                     const EvaluationWatch& watch) {
  const double seconds =
      std::min(assignment.seconds, settings_.timeout.value_or(std::numeric_limits<double>::infinity()));
  EvaluationRecord before;
  for (std::size_t attempts = 1;; ++attempts) {
    int exit_code = -1;
    EvaluationRecord record =
        attempt(configuration, assignment, watch, {seconds, seconds - before.wall_seconds}, exit_code);
    record.attempts = attempts;
    record.wall_seconds += before.wall_seconds;
    record.cpu_seconds += before.cpu_seconds;
    record.peak_bytes = std::max(record.peak_bytes, before.peak_bytes);
    const bool measured =
        readings_.cost().source == Reading::Source::wall_clock || readings_.cost().source == Reading::Source::cpu;
    if (measured && record.cost && before.cost) record.cost = *record.cost + *before.cost;
    const bool again = std::ranges::find(settings_.retry_codes, exit_code) != settings_.retry_codes.end();
    const bool late = record.wall_seconds >= seconds;
    if (exit_code <= 0 || !again || late || attempts > settings_.retries) {
      if (attempts > 1 && record.status != EvaluationRecord::Status::succeeded)
        record.reason += text(" (attempt ", attempts, ")");
      return record;
    }
    fs::path kept = folder(assignment.id);
    kept += text(".", attempts);
    std::error_code error;
    fs::remove_all(kept, error);
    fs::rename(folder(assignment.id), kept, error);
    before = std::move(record);
  }
}

}  // namespace carbo::program
