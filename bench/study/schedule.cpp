#include "bench/study/schedule.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/study/analysis.hpp"

namespace carbo::study {

namespace {

struct Job {
  const Problem* problem;
  const Method* method;
  RunKey key;
};

/// Seed by seed, so that a study that is cut off has all methods at nearly the same number of seeds.
std::vector<Job> missing_jobs(const CommandLine& command, const RunStore& store) {
  std::vector<CostProfile> profiles;
  for (const Problem& problem : command.problems) profiles.push_back(cost_profile(problem));
  std::vector<Job> jobs;
  for (std::uint64_t seed = 1; seed <= command.seeds; ++seed)
    for (std::size_t p = 0; p < command.problems.size(); ++p)
      for (const Method& method : command.methods) {
        const Problem& problem = command.problems[p];
        RunKey key = key_of(problem, profiles[p], method, command.settings, seed);
        if (!store.contains(key)) jobs.push_back({&problem, &method, std::move(key)});
      }
  return jobs;
}

/// Progress on standard error: one line that is overwritten on a terminal, a line now and then elsewhere.
class ProgressLine {
 public:
  ProgressLine(bool verbose, std::size_t total) : verbose_(verbose), total_(total) {}

  void advance() {
    const std::lock_guard lock(mutex_);
    ++done_;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
    if (!verbose_ || (done_ < total_ && elapsed.count() < next_print_)) return;
    next_print_ = elapsed.count() + (terminal_ ? 0.5 : 15.0);
    const double left = elapsed.count() * static_cast<double>(total_ - done_) / static_cast<double>(done_);
    std::fprintf(stderr, "%s%zu of %zu runs, %.0f s elapsed, about %.0f s left%s", terminal_ ? "\r" : "", done_,
                 total_, elapsed.count(), left, terminal_ && done_ < total_ ? "    " : "\n");
  }

  void complain(const RunKey& key, const char* what) {
    const std::lock_guard lock(mutex_);
    std::fprintf(stderr, "\n%s, %s, seed %llu failed: %s\n", key.problem.c_str(), key.method.c_str(),
                 static_cast<unsigned long long>(key.seed), what);
  }

 private:
  const bool verbose_;
  const std::size_t total_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::mutex mutex_;
  std::size_t done_ = 0;
  double next_print_ = 2.0;  ///< seconds since the start
};

}  // namespace

std::size_t make_runs(const CommandLine& command, RunStore& store) {
  const std::vector<Job> jobs = missing_jobs(command, store);
  if (command.verbose) std::fprintf(stderr, "%zu runs kept, %zu to make\n", store.size(), jobs.size());
  ProgressLine progress(command.verbose, jobs.size());
  std::atomic<std::size_t> next = 0, failures = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      try {
        store.add(run_once(*jobs[i].problem, *jobs[i].method, jobs[i].key));
      } catch (const std::exception& error) {
        ++failures;
        progress.complain(jobs[i].key, error.what());
      }
      progress.advance();
    }
  };
  const std::size_t threads = command.jobs > 0 ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < threads; ++i) workers.emplace_back(work);
  workers.clear();
  return failures;
}

}  // namespace carbo::study
