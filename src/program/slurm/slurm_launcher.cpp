// What a runner sees of Slurm: evaluations that are waited for, and what becomes of them.

#include "program/slurm/slurm_launcher.hpp"

#include <algorithm>

#include <carbo/error.hpp>

#include "program/support/files.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
using Status = EvaluationRecord::Status;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds look_at_wishes{100};

/// Apart from those of other studies of this user.
std::string job_prefix(const fs::path& folder, const std::string& study_mark) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : folder.string() + study_mark) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  constexpr const char* digits = "0123456789abcdef";
  std::string name = "carbo-";
  for (int i = 0; i < 8; ++i, hash >>= 4) name += digits[hash & 15];
  return name;
}

/// The last lines of what a task said itself.
std::string words_of_task(const Batch& batch, std::size_t index) {
  constexpr std::size_t most = 1000;
  std::string words;
  try {
    words = read_whole_file(batch.folder / text("slurm-", index, ".out"));
  } catch (const Error&) {
    return {};
  }
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words.size() > most ? words.substr(words.size() - most) : words;
}

/// Where pages look for what an evaluation wrote.
void link_folder(const fs::path& evaluations, const std::string& batch, std::uint64_t id) {
  std::error_code ignored;
  const fs::path link = evaluations / std::to_string(id);
  if (fs::is_symlink(link, ignored)) fs::remove(link, ignored);
  fs::create_directory_symlink(fs::path("slurm") / batch / std::to_string(id), link, ignored);
}

}  // namespace

SlurmLauncher::SlurmLauncher(Spawner& spawner, const StudyFile& study, std::string study_mark,
                             const fs::path& evaluations, std::function<void(const std::string&)> say)
    : study_(study),
      study_mark_(std::move(study_mark)),
      say_(std::move(say)),
      evaluations_(fs::absolute(evaluations)),
      folder_(slurm_folder(evaluations)),
      spool_(results_folder(folder_).string()),
      client_(spawner, folder_),
      job_prefix_(job_prefix(folder_, study_mark_)) {
  take_up_earlier();
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('b'))
      if (const auto number = read_number(name.substr(1)))
        batches_ = std::max(batches_, static_cast<std::size_t>(*number));
  }
  collector_ = std::jthread([this](const std::stop_token& stop) { collect(stop); });
  scheduler_ = std::jthread([this](const std::stop_token& stop) { schedule(stop); });
}

void SlurmLauncher::take_up_earlier() {
  std::vector<std::string> others;
  for (Batch& earlier : earlier_batches(folder_)) {
    if (earlier.study_mark != study_mark_) {
      others.push_back(earlier.job_name);
      continue;
    }
    const auto batch = std::make_shared<Batch>(std::move(earlier));
    for (std::size_t i = 0; i < batch->tasks.size(); ++i) {
      const BatchTask& task = batch->tasks[i];
      flights_.erase(task.assignment.id);
      if (task.configuration.is_null()) continue;  // taken back
      if (const auto end = read_end(batch->folder, task.assignment.id); end && end->hopeless) continue;
      Flight& flight = flights_[task.assignment.id];
      flight.task = task;
      flight.batch = batch;
      flight.index = i;
    }
  }
  say_left_alone(text("job arrays in ", folder_.string()), others);
}

void SlurmLauncher::say_other_point(const std::string& file, std::uint64_t id) {
  say_(text("warning: ", spool_.path(), "/", file, " is of another point than evaluation ", id,
            " of the study, and is left alone"));
}

/// What another study has in this folder: one that was started over, say.
void SlurmLauncher::say_left_alone(const std::string& what, const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  if (names.empty()) return;
  std::string some;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) some += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most) some += text(" and ", names.size() - most, " more");
  say_(text("warning: ", what, " belong to another study and are left alone: ", some));
}

SlurmLauncher::~SlurmLauncher() {
  for (std::jthread* const thread : {&scheduler_, &collector_}) thread->request_stop();
  for (std::jthread* const thread : {&scheduler_, &collector_}) thread->join();
  try {
    cancel_the_rest();
  } catch (const std::exception& error) {
    say_(text("tasks could not be cancelled: ", error.what()));
  }
}

/// At the end, once: whoever waits for the program has it end.
void SlurmLauncher::cancel_the_rest() {
  for (const std::uint64_t id : dropped_) {
    const Flight& flight = flights_.at(id);
    if (flight.batch == nullptr) continue;
    std::vector<std::string>& tasks = surplus_[flight.batch->job_name];
    if (flight.batch->job) tasks.push_back(flight.batch->task_name(flight.index));
  }
  name_unneeded();
  for (const auto& task : unneeded_)
    if (std::ranges::none_of(flights_, [&](const auto& other) { return other.second.batch == task.first; }))
      surplus_[task.first->job_name];  // by its name, as nobody knows whether there is a job
  for (const auto& [name, tasks] : surplus_) {
    const std::string fault = client_.cancel(name, tasks, {});
    if (fault.empty()) continue;
    std::string words = "scancel --name=" + name;
    for (const std::string& task : tasks) words += " " + task;
    say_(text("warning: tasks could not be cancelled and go on (", fault, "); what ends them: ", words));
  }
}

SlurmLauncher::Flight& SlurmLauncher::awaited(const Configuration& configuration, const Assignment& assignment) {
  Json wanted = json_of(configuration);
  forget_other_point(assignment.id, wanted);
  const auto [found, is_new] = flights_.try_emplace(assignment.id);
  Flight& flight = found->second;
  flight.awaited = true;
  if (!is_new) return flight;
  flight.task = {assignment, std::move(wanted)};
  queue(flight);
  return flight;
}

/// A study whose file was put back as it was hands out ids again, for other points.
void SlurmLauncher::forget_other_point(std::uint64_t id, const Json& configuration) {
  if (const auto flight = flights_.find(id);
      flight != flights_.end() && flight->second.task.configuration != configuration) {
    say_(text("warning: evaluation ", id, " was another point when ", flight->second.batch->job_name,
              " was submitted; its task is left alone"));
    flights_.erase(flight);
  }
  if (const auto found = arrived_.find(id);
      found != arrived_.end() && found->second.result.configuration != configuration) {
    say_other_point(found->second.file, id);
    arrived_.erase(found);
  }
}

void SlurmLauncher::queue(Flight& flight) {
  flight.batch.reset();
  flight.over.reset();
  if (queued_.empty()) queued_since_ = internal::steady_seconds();
  queued_.push_back(flight.task.assignment.id);
  wake_.notify_all();
}

EvaluationRecord SlurmLauncher::evaluate(const Configuration& configuration, const Assignment& assignment,
                                         const EvaluationWatch& watch) {
  const std::uint64_t id = assignment.id;
  std::vector<StepLine> steps;
  std::optional<EvaluationRecord> record;
  {
    std::unique_lock lock(mutex_);
    Flight& flight = awaited(configuration, assignment);
    while (!record) {
      if (arrived_.contains(id)) {
        record = arrived(id, steps);
      } else if (!flight.refused.empty()) {
        record.emplace().hopeless = true;
        record->reason = flight.refused;
      } else if (flight.over && flight.over->settled) {
        record = ended(flight, steps);
      } else if (watch.wish && watch.wish() != Wish::go_on) {
        record = given_up(flight);
      } else {
        flight.changed.wait_for(lock, look_at_wishes);
      }
    }
    flight.awaited = false;
  }
  for (const StepLine& step : steps)
    if (watch.step) watch.step(step);
  return *std::move(record);
}

/// The result is here. Of a task that was thought lost, another one may still run.
EvaluationRecord SlurmLauncher::arrived(std::uint64_t id, std::vector<StepLine>& steps) {
  const std::string& file = arrived_.at(id).file;
  const ResultRecord& result = arrived_.at(id).result.record;
  EvaluationRecord record;
  record.status = result.objective ? Status::succeeded : result.timed_out ? Status::timed_out : Status::failed;
  record.objective = result.objective.value_or(0);
  record.cost = result.cost;
  record.reason = result.failed.value_or("");
  record.metrics = result.notes.metrics;
  record.started = result.notes.started;
  record.ended = result.notes.ended;
  const std::string batch = file.substr(0, file.find('-'));
  link_folder(evaluations_, batch, id);
  if (auto end = read_end(folder_ / batch, id)) {
    record.tail = std::move(end->tail);
    record.remark = std::move(end->remark);
    steps = std::move(end->steps);
  }
  return record;
}

/// A task that ended without a result: a failure, or none yet where it is submitted again.
std::optional<EvaluationRecord> SlurmLauncher::ended(Flight& flight, std::vector<StepLine>& steps) {
  const Over over = *flight.over;
  const std::uint64_t id = flight.task.assignment.id;
  const std::shared_ptr<Batch> batch = flight.batch;
  std::optional<TaskEnd> end = read_end(batch->folder, id);
  const std::string name = batch->task_name(flight.index);
  const bool lost = over.fate == TaskFate::lost || (over.fate == TaskFate::failed && end && end->interrupted);
  if (lost) {
    if (name.empty()) withdraw_batch(*batch);  // should it be in the queue nevertheless, it does nothing
    ++flight.losses;
    if (!study_.run.charge_interrupted && flight.losses < study_.run.slurm.losses) {
      say_(text("evaluation ", id, ": its task ", name, name.empty() ? "" : " ", "is lost (", over.state,
                "); it is submitted again"));
      queue(flight);
      return std::nullopt;
    }
  }
  EvaluationRecord record;
  if (end && end->hopeless) {
    record.hopeless = true;
    record.reason = end->reason;
    return record;
  }
  record.status = over.fate == TaskFate::timed_out ? Status::timed_out : Status::failed;
  record.wall_seconds = end && end->wall_seconds > 0 ? end->wall_seconds : over.run_seconds;
  record.cost = cost_by_time(study_, record.wall_seconds);
  record.tail = end && !end->tail.empty() ? end->tail : words_of_task(*batch, flight.index);
  record.reason = text("Slurm's task ", name, name.empty() ? "" : " ", "ended as ", over.state, " without a result",
                       flight.losses > 1 ? text(", lost ", flight.losses, " times") : std::string());
  if (end) steps = std::move(end->steps);
  return record;
}

/// The run is ended: the task goes on for the next one, or is cancelled.
EvaluationRecord SlurmLauncher::given_up(Flight& flight) {
  const std::uint64_t id = flight.task.assignment.id;
  std::erase(queued_, id);
  if (flight.batch != nullptr && study_.run.slurm.cancels) {
    note_cancelled(*flight.batch, id);
    dropped_.push_back(id);
  }
  EvaluationRecord record;
  record.status = Status::interrupted;
  record.reason = "interrupted";
  return record;
}

void SlurmLauncher::told(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  told_.insert(id);
  std::erase(queued_, id);
  const auto flight = flights_.find(id);
  if (const auto found = arrived_.find(id); found != arrived_.end()) {
    spool_.set_aside(found->second.file);
    const std::shared_ptr<Batch> batch = flight == flights_.end() ? nullptr : flight->second.batch;
    if (batch != nullptr && batch->result_file(id) != found->second.file)
      unneeded_.emplace_back(batch, flight->second.index);
    arrived_.erase(found);
  }
  if (flight != flights_.end()) flights_.erase(flight);
}

}  // namespace carbo::program
