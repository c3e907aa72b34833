#include "program/slurm/client.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include <carbo/error.hpp>

#include "program/evaluation/process.hpp"
#include "replay/csv.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

constexpr double longest_call = 60;  // seconds; a controller that does not answer is given up by Slurm before
constexpr std::size_t kept_words = 1u << 16;
constexpr std::size_t cancelled_at_once = 500;  // of a command line

bool installed(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (true) {
    const std::string folder(rest.substr(0, rest.find(':')));
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
    if (rest.find(':') == std::string_view::npos) return false;
    rest.remove_prefix(rest.find(':') + 1);
  }
}

std::optional<std::uint64_t> whole(std::string_view text) {
  const auto number = replay::read_number(std::string(text));
  if (!number || !(*number >= 0) || *number > 1e15) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace

TaskFate fate_of(const std::string& state) {
  const auto among = [&](std::initializer_list<std::string_view> states) {
    return std::ranges::find(states, state) != states.end();
  };
  if (among({"FAILED", "OUT_OF_MEMORY", "COMPLETED", "SPECIAL_EXIT"})) return TaskFate::failed;
  if (among({"TIMEOUT", "DEADLINE"})) return TaskFate::timed_out;
  if (among({"CANCELLED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "LAUNCH_FAILED", "RECONFIG_FAIL", "REVOKED"}))
    return TaskFate::lost;
  return TaskFate::lives;
}

double elapsed_seconds(std::string_view text) {
  double days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    days = static_cast<double>(whole(text.substr(0, dash)).value_or(0));
    text.remove_prefix(dash + 1);
  }
  double seconds = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const auto part = whole(text.substr(0, colon));
    if (!part) return 0;
    seconds = 60 * seconds + static_cast<double>(*part);
    if (colon == std::string_view::npos) return 86400 * days + seconds;
    text.remove_prefix(colon + 1);
  }
}

std::vector<QueuedTask> queued_tasks(std::string_view listing) {
  std::vector<QueuedTask> tasks;
  while (!listing.empty()) {
    std::string_view line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(std::min(listing.size(), line.size() + 1));
    std::array<std::string, 6> cells;
    std::size_t count = 0;
    for (; count < cells.size(); ++count) {
      const bool last = count + 1 == cells.size();
      const std::size_t bar = last ? std::string_view::npos : line.find('|');
      cells[count] = line.substr(0, bar);
      if (bar == std::string_view::npos) break;
      line.remove_prefix(bar + 1);
    }
    const auto job = whole(cells[1]), index = whole(cells[2]);
    if (count + 1 != cells.size() || !job || !index) continue;
    tasks.push_back({cells[0], *job, *index, cells[3], cells[5], elapsed_seconds(cells[4])});
  }
  return tasks;
}

bool slurm_is_away(const std::string& words) {
  constexpr std::string_view signs[] = {"Unable to contact", "Socket timed out",     "Connection refused",
                                        "Zero Bytes",        "Connection timed out", "Transport endpoint",
                                        "temporarily",       "in standby",           "Communication"};
  return std::ranges::any_of(signs, [&](std::string_view sign) { return words.find(sign) != std::string::npos; });
}

bool had_ended_before(const std::string& words) {
  constexpr std::string_view signs[] = {"Invalid job id", "already completing or completed"};
  std::istringstream lines(words);
  bool any = false;
  for (std::string line; std::getline(lines, line); any = true)
    if (std::ranges::none_of(signs, [&](std::string_view sign) { return line.find(sign) != std::string::npos; }))
      return false;
  return any;
}

std::string one_line(std::string words) {
  while (!words.empty() && words.back() == '\n') words.pop_back();
  std::ranges::replace(words, '\n', ' ');
  return words;
}

void require_slurm() {
  for (const char* const program : {"sbatch", "squeue", "scancel"})
    if (!installed(program))
      throw InvalidOptions(internal::text("launcher is \"slurm\", but ", program,
                                          " is in no folder of PATH; run this on a machine that submits to Slurm, or "
                                          "leave the launcher out"));
}

SlurmClient::SlurmClient(Spawner& spawner, std::filesystem::path folder)
    : spawner_(spawner), folder_(std::move(folder)) {}

SlurmClient::Said SlurmClient::call(const std::string& program, std::vector<std::string> arguments,
                                    const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  Said said;
  const auto kept = [](std::string& words) {
    return [&words](std::string_view line) { words.append(line).append("\n"); };
  };
  Output out(folder_ / (program + ".out"), kept_words, kept(said.out));
  Output err(folder_ / (program + ".err"), kept_words, kept(said.err));
  Launch launch;
  launch.arguments = std::move(arguments);
  launch.arguments.insert(launch.arguments.begin(), program);
  const ProcessEnd end = run_process(spawner_, launch, Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
                                     Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), out,
                                     err, internal::steady_seconds() + longest_call,
                                     [&] { return stop.stop_requested() ? Wish::end_gently : Wish::go_on; });
  const bool itself = !end.lost && !end.timed_out && !end.stopped && end.ended.stage == Ended::ran;
  if (itself && WIFEXITED(end.ended.status)) said.code = WEXITSTATUS(end.ended.status);
  return said;
}

SlurmClient::Said SlurmClient::submit(const std::vector<std::string>& options, const std::stop_token& stop) {
  return call("sbatch", options, stop);
}

std::optional<std::vector<QueuedTask>> SlurmClient::list(const std::vector<std::string>& names,
                                                         const std::stop_token& stop) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  const Said said = call("squeue",
                         {"--noheader", "--array", "--states=all", internal::text("--user=", ::geteuid()),
                          "--name=" + all, std::string("--format=") + listing_format},
                         stop);
  if (said.code != 0) return std::nullopt;
  return queued_tasks(said.out);
}

std::string SlurmClient::cancel(const std::string& job_name, const std::vector<std::string>& tasks,
                                const std::stop_token& stop) try {
  std::size_t first = 0;
  do {
    const std::size_t end = std::min(tasks.size(), first + cancelled_at_once);
    std::vector<std::string> arguments{"--name=" + job_name};
    arguments.insert(arguments.end(), tasks.begin() + static_cast<std::ptrdiff_t>(first),
                     tasks.begin() + static_cast<std::ptrdiff_t>(end));
    const Said said = call("scancel", std::move(arguments), stop);
    if (said.code != 0 && !had_ended_before(said.err))
      return said.err.empty() ? "scancel has no answer" : one_line(said.err);
    first = end;
  } while (first < tasks.size());
  return {};
} catch (const std::exception& error) {
  return error.what();
}

}  // namespace carbo::program
