#include "bench/support/timing.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>

#include "replay/clock.hpp"

namespace carbo::bench {

namespace {

/// The job's exit code, its output flushed.
int exit_code(const std::function<void()>& job) {
  try {
    job();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "  %s\n", error.what());
    return 1;
  }
  std::fflush(stdout);
  return 0;
}

}  // namespace

Timing time_of(const std::function<void()>& work) {
  const double cpu_begin = replay::clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {elapsed.count(), replay::clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin};
}

Timing median_timing(const std::vector<Timing>& timings) {
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  for (const Timing& timing : timings) {
    seconds.push_back(timing.seconds);
    cpu_seconds.push_back(timing.cpu_seconds);
  }
  return {replay::median(seconds), replay::median(cpu_seconds)};
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

bool run_apart(const std::function<void()>& job) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(exit_code(job));
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    std::fprintf(stderr, "  failed\n");
    return false;
  }
  std::printf("  peak memory %.0f MiB\n", static_cast<double>(usage.ru_maxrss) / 1024.0);
  return true;
}

}  // namespace carbo::bench
