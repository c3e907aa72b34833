#include "bench/replay/schedule.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "bench/replay/progress.hpp"

namespace carbo::replay {

RunKey key_of(const Problem& problem, const Method& method, std::size_t batch, double budget, std::uint64_t seed) {
  return {.problem = problem.name,
          .method = method.name,
          .seed = seed,
          .batch = batch,
          .candidates = problem.candidates(),
          .budget = budget};
}

std::vector<Job> jobs_of(const std::vector<Cell>& cells, const std::vector<Method>& methods) {
  std::size_t most_seeds = 0;
  for (const Cell& cell : cells) most_seeds = std::max(most_seeds, cell.seeds);
  std::vector<Job> jobs;
  for (std::uint64_t seed = 1; seed <= most_seeds; ++seed)
    for (const Cell& cell : cells)
      for (const Method& method : methods)
        if (seed <= cell.seeds)
          jobs.push_back({cell.problem, &method, key_of(*cell.problem, method, cell.batch, cell.budget, seed)});
  return jobs;
}

std::size_t make_runs(const std::vector<Job>& jobs, RunStore& store, const Workers& workers) {
  std::vector<const Job*> missing;
  for (const Job& job : jobs)
    if (!store.contains(job.key)) missing.push_back(&job);
  if (workers.progress)
    std::fprintf(stderr, "%zu of %zu runs are there, %zu to make\n", jobs.size() - missing.size(), jobs.size(),
                 missing.size());
  Progress progress(workers.progress, missing.size());
  std::atomic<std::size_t> next = 0, failures = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < missing.size(); i = next++) {
      const Job& job = *missing[i];
      try {
        store.add(run_once(*job.problem, *job.method, job.key));
      } catch (const std::exception& error) {
        ++failures;
        progress.complain(job.key.problem + ", " + job.key.method + ", batch " + std::to_string(job.key.batch) +
                          ", seed " + std::to_string(job.key.seed) + " failed: " + error.what());
      }
      progress.advance();
    }
  };
  const std::size_t threads =
      workers.threads > 0 ? workers.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < threads; ++i) running.emplace_back(work);
  running.clear();
  return failures;
}

}  // namespace carbo::replay
