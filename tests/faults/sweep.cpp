#include "faults/sweep.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace carbo::test {
namespace {

using allocations::Fault;

constexpr unsigned patience_seconds = 120;
char under_way[256] = "";

/// Ends the program where a run hangs.
void give_up(int) {
  const char message[] = "this run does not end: ";
  (void)!write(STDERR_FILENO, message, sizeof message - 1);
  (void)!write(STDERR_FILENO, under_way, std::strlen(under_way));
  _exit(3);
}

class Watchdog {
 public:
  Watchdog(const std::string& name, std::uint64_t first, Fault fault) {
    std::snprintf(under_way, sizeof under_way, "%s, allocation %llu %s\n", name.c_str(),
                  static_cast<unsigned long long>(first),
                  fault == Fault::once ? "failing" : "and all after it failing");
    std::signal(SIGALRM, give_up);
    alarm(patience_seconds);
  }
  ~Watchdog() { alarm(0); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

/// From one allocation that fails to the next that does.
std::uint64_t stride(std::uint64_t total, std::uint64_t usual_runs) {
  const char* const wish = std::getenv("CARBO_FAULTS");
  if (wish != nullptr && std::strcmp(wish, "whole") == 0) return 1;
  const std::uint64_t runs = wish != nullptr ? std::strtoull(wish, nullptr, 10) : usual_runs;
  return std::max<std::uint64_t>(1, 2 * total / std::max<std::uint64_t>(runs, 1));
}

}  // namespace

SweepFigures sweep(const std::string& name, const std::function<Transcript()>& scenario,
                   const std::function<void(const Transcript&, const Transcript&)>& check, std::uint64_t runs) {
  SweepFigures figures;
  const auto run = [&](std::uint64_t first, Fault fault) {
    const Watchdog watchdog(name, first, fault);
    allocations::plan(first, fault);
    return scenario();
  };
  run(0, Fault::once);  // what is made once a process is made here
  const Transcript undisturbed = run(0, Fault::once);
  figures.allocations = allocations::counted();
  const std::uint64_t step = stride(figures.allocations, runs);
  for (const Fault fault : {Fault::once, Fault::until_the_return}) {
    // The two kinds fall on different allocations where not all are tried.
    for (std::uint64_t k = fault == Fault::once ? 1 : 1 + step / 2; k <= figures.allocations; k += step) {
      const std::int64_t live = allocations::live();
      {
        const Transcript disturbed = run(k, fault);
        check(undisturbed, disturbed);
        ++figures.runs;
        figures.struck += allocations::struck() ? 1 : 0;
      }
      if (!testing::Test::HasFailure() && allocations::live() != live)
        ADD_FAILURE() << allocations::live() - live << " blocks leaked";
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "in the run: " << under_way;
        return figures;
      }
    }
  }
  std::printf("%s: %llu allocations, %llu runs, a failure in %llu\n", name.c_str(),
              static_cast<unsigned long long>(figures.allocations), static_cast<unsigned long long>(figures.runs),
              static_cast<unsigned long long>(figures.struck));
  return figures;
}

}  // namespace carbo::test
