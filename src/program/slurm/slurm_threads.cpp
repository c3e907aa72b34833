// The two threads behind a Slurm launcher: one looks for results, one talks to Slurm.

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include <carbo/error.hpp>

#include "program/slurm/slurm_launcher.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::steady_seconds;
using internal::text;

constexpr std::chrono::milliseconds between_scans{200};
constexpr std::chrono::milliseconds between_turns{50};
constexpr double gathering = 0.1;            // seconds that an array waits for more to come
constexpr std::size_t largest_array = 1000;  // Slurm's default of MaxArraySize is 1001
constexpr std::chrono::seconds before_retry{5};

/// sbatch reads % in the names of files.
std::string without_patterns(const std::string& path) {
  std::string plain;
  for (const char c : path) plain += c == '%' ? std::string("%%") : std::string(1, c);
  return plain;
}

std::vector<std::string> sbatch_options(const Batch& batch, const SlurmSettings& settings) {
  std::vector<std::string> options{"--parsable",
                                   "--job-name=" + batch.job_name,
                                   text("--array=0-", batch.tasks.size() - 1),
                                   "--no-requeue",
                                   "--output=" + without_patterns(batch.folder.string()) + "/slurm-%a.out",
                                   "--chdir=" + std::filesystem::current_path().string()};
  options.insert(options.end(), settings.options.begin(), settings.options.end());
  options.push_back((batch.folder / "task.sh").string());
  return options;
}

/// JOB or JOB;CLUSTER.
std::optional<std::uint64_t> job_of(const std::string& said) {
  const std::string_view line = std::string_view(said).substr(0, said.find_first_of(";\n"));
  const auto number = read_number(line);
  if (!number || !(*number > 0)) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace

void SlurmLauncher::collect(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      scan();
    } catch (const std::exception& error) {
      complain(error.what());
    }
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, between_scans, [] { return false; });
  }
}

void SlurmLauncher::scan() {
  std::vector<std::string> others;
  for (const std::string& name : spool_.names()) {
    {
      const std::lock_guard lock(mutex_);
      if (seen_.contains(name)) continue;
    }
    std::optional<TaskResult> result;
    std::string fault;
    try {
      const std::optional<std::string> words = spool_.read(name);
      if (!words) continue;
      result = task_result(study_.space, study_mark_, *words);
      if (!result) others.push_back(name);
    } catch (const InvalidObservation& error) {
      fault = text(spool_.path(), "/", name, " is not taken in: ", error.what());
    }
    const std::lock_guard lock(mutex_);
    seen_.insert(name);
    if (!fault.empty()) say_(fault);
    if (result) keep(name, *std::move(result));
  }
  say_left_alone(text("results in ", spool_.path()), others);
  const std::lock_guard lock(mutex_);
  ++scans_;
}

/// With the mutex held.
void SlurmLauncher::keep(const std::string& file, TaskResult result) {
  const std::uint64_t id = *result.record.id;
  const auto flight = flights_.find(id);
  if (flight != flights_.end() && flight->second.task.configuration != result.configuration) {
    say_other_point(file, id);
  } else if (told_.contains(id) || arrived_.contains(id)) {
    spool_.set_aside(file);  // another task was faster
  } else {
    arrived_.emplace(id, Arrived{file, std::move(result)});
    if (flight != flights_.end()) flight->second.changed.notify_all();
  }
}

void SlurmLauncher::schedule(const std::stop_token& stop) {
  double next_look = steady_seconds();
  while (!stop.stop_requested()) {
    try {
      submit_queued(stop);
      if (steady_seconds() >= next_cancel_) cancel_surplus(stop);
      if (steady_seconds() >= next_look) {
        look(stop);
        next_look = steady_seconds() + study_.run.slurm.poll;
      }
      settle();
    } catch (const std::exception& error) {
      complain(error.what());
    }
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, between_turns, [] { return false; });
  }
}

void SlurmLauncher::submit_queued(const std::stop_token& stop) {
  auto batch = std::make_shared<Batch>();
  std::vector<std::uint64_t> ids;
  {
    const std::lock_guard lock(mutex_);
    if (queued_.empty() || steady_seconds() < queued_since_ + gathering) return;
    batch->folder = folder_ / fmt::format("b{:06}", ++batches_);
    batch->job_name = job_prefix_ + "-" + batch->name();
    batch->study_mark = study_mark_;
    while (!queued_.empty() && ids.size() < largest_array) {
      const auto found = flights_.find(queued_.front());
      queued_.pop_front();
      if (found == flights_.end()) continue;
      Flight& flight = found->second;
      flight.batch = batch;
      flight.index = ids.size();
      flight.submitted = std::numeric_limits<double>::infinity();  // not yet
      ids.push_back(found->first);
      batch->tasks.push_back(flight.task);
    }
  }
  if (ids.empty()) return;
  std::string refused;
  std::optional<std::uint64_t> job;
  try {
    write_batch(*batch, study_);
    job = submitted_job(*batch, stop, refused);
  } catch (const std::exception& error) {
    refused = error.what();
  }
  const std::lock_guard lock(mutex_);
  if (!refused.empty()) withdraw_batch(*batch);
  batch->job = job;
  if (job) note_job(*batch);
  for (const std::uint64_t id : ids) {
    const auto flight = flights_.find(id);
    if (flight == flights_.end()) continue;
    flight->second.submitted = steady_seconds();
    flight->second.refused = refused;
    flight->second.changed.notify_all();
  }
}

/// Absent where it was refused, or where the run is ended before Slurm has answered: the name of the job then tells
/// the next one whether there is one.
std::optional<std::uint64_t> SlurmLauncher::submitted_job(const Batch& batch, const std::stop_token& stop,
                                                          std::string& refused) {
  while (!stop.stop_requested()) {
    const SlurmClient::Said said = client_.submit(sbatch_options(batch, study_.run.slurm), stop);
    if (said.code == 0)
      if (const auto job = job_of(said.out)) return job;
    if (stop.stop_requested()) break;
    if (said.code >= 0 && !slurm_is_away(said.err)) {
      refused = text("sbatch refuses the tasks: ", one_line(said.err.empty() ? said.out : said.err));
      return std::nullopt;
    }
    complain(one_line(said.err));
    // What was not answered may have been heard.
    if (const auto listed = client_.list({batch.job_name}, stop); listed && !listed->empty())
      return listed->front().job;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, before_retry, [] { return false; });
  }
  return std::nullopt;
}

void SlurmLauncher::look(const std::stop_token& stop) {
  std::set<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, flight] : flights_)
      if (flight.awaited && flight.batch != nullptr) names.insert(flight.batch->job_name);
  }
  if (names.empty()) return;
  const double asked = steady_seconds();
  const auto listed = client_.list({names.begin(), names.end()}, stop);
  if (!listed) {
    if (!stop.stop_requested()) complain("squeue has no answer");
    return;
  }
  std::map<std::pair<std::string, std::uint64_t>, const QueuedTask*> known;
  for (const QueuedTask& task : *listed) known[{task.job_name, task.index}] = &task;
  const std::lock_guard lock(mutex_);
  complained_ = false;
  for (auto& [id, flight] : flights_) {
    if (!flight.awaited || flight.batch == nullptr || !(flight.submitted < asked)) continue;
    if (!names.contains(flight.batch->job_name)) continue;
    const auto found = known.find({flight.batch->job_name, flight.index});
    Over over{TaskFate::lost, "unknown to Slurm", 0, steady_seconds(), scans_, false};
    if (found != known.end()) {
      const QueuedTask& task = *found->second;
      over.fate = fate_of(task.state);
      over.state = task.reason.empty() || task.reason == "None" ? task.state : text(task.state, ", ", task.reason);
      over.run_seconds = task.seconds;
      if (!flight.batch->job) {
        flight.batch->job = task.job;
        note_job(*flight.batch);
      }
    }
    if (over.fate == TaskFate::lives)
      flight.over.reset();
    else if (!flight.over)
      flight.over = over;
  }
}

/// A result may take its time to be seen here. Where the task has said that there is none, nothing is waited for.
void SlurmLauncher::settle() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, flight] : flights_) {
    if (!flight.over || flight.over->settled || arrived_.contains(id)) continue;
    const bool late = steady_seconds() >= flight.over->since + study_.run.slurm.settle;
    const bool looked = scans_ >= flight.over->scans + 2;  // the scan that ran then, and a whole one
    const auto end = late || !looked ? std::nullopt : read_end(flight.batch->folder, id);
    if (!looked || !(late || (end && (end->interrupted || end->hopeless)))) continue;
    flight.over->settled = true;
    flight.changed.notify_all();
  }
}

/// With the mutex held.
void SlurmLauncher::name_unneeded() {
  std::erase_if(unneeded_, [&](const auto& task) {
    const auto& [batch, index] = task;
    if (batch->job) surplus_[batch->job_name].push_back(batch->task_name(index));
    return batch->job.has_value();
  });
}

/// What cannot be cancelled is kept until the next look at the queue.
void SlurmLauncher::cancel_surplus(const std::stop_token& stop) {
  std::map<std::string, std::vector<std::string>> jobs;
  {
    const std::lock_guard lock(mutex_);
    name_unneeded();
    jobs.swap(surplus_);
  }
  const bool said = std::exchange(next_cancel_, 0) > 0;
  for (const auto& [name, tasks] : jobs) {
    const std::string fault = client_.cancel(name, tasks, stop);
    if (fault.empty()) continue;
    if (!said && !stop.stop_requested()) complain(text("tasks of ", name, " cannot be cancelled yet: ", fault));
    next_cancel_ = steady_seconds() + study_.run.slurm.poll;
    const std::lock_guard lock(mutex_);
    std::vector<std::string>& kept = surplus_[name];
    kept.insert(kept.end(), tasks.begin(), tasks.end());
  }
}

/// Once, until Slurm answers again.
void SlurmLauncher::complain(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(complained_, true)) return;
  say_(text("waiting for Slurm: ", what));
}

}  // namespace carbo::program
