#include "replay/schedule.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <thread>

#include "replay/progress.hpp"

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

namespace {

/// Whether two runs differ by their budgets alone.
bool alike(RunKey a, const RunKey& b) {
  a.budget = b.budget;
  return a == b;
}

/// Jobs that the store lacks, apart by how they are made.
struct Missing {
  std::vector<const Job*> runs{};
  std::vector<const Job*> cuts{};  ///< of runs that are there by then, with a larger budget
};

/// The stored run with a larger budget that serves the job; null where there is none. Budgets are the last part of a
/// key, so runs that differ by them alone are neighbours.
const RunRecord* longer_run(const RunStore& store, const Job& job) {
  const auto found = store.runs().upper_bound(job.key);
  return found != store.runs().end() && alike(found->first, job.key) ? &found->second : nullptr;
}

/// Whether a run with a larger budget can serve the job: of rounds that fill the workers, and of those that grow
/// where costs are summed, a record does not tell where one ends.
bool serves_all_budgets(const Job& job) {
  if (!job.method->ignores_budget || job.method->accounting == Accounting::sum) return false;
  Options options;
  if (!job.method->run) job.method->configure(options, *job.problem);
  return options.batches == Batches::fixed;
}

Missing missing_jobs(const std::vector<Job>& jobs, const RunStore& store) {
  std::map<RunKey, double> largest;  // by key without a budget
  const auto without_budget = [](RunKey key) {
    key.budget = 0;
    return key;
  };
  for (const Job& job : jobs) {
    double& budget = largest[without_budget(job.key)];
    budget = std::max(budget, job.key.budget);
  }
  Missing missing;
  for (const Job& job : jobs) {
    if (store.contains(job.key)) continue;
    const bool cut = serves_all_budgets(job) &&
                     (job.key.budget < largest.at(without_budget(job.key)) || longer_run(store, job) != nullptr);
    (cut ? missing.cuts : missing.runs).push_back(&job);
  }
  return missing;
}

std::size_t make_cuts(const std::vector<const Job*>& cuts, RunStore& store) {
  std::size_t failures = 0;
  for (const Job* job : cuts) {
    const RunRecord* longer = longer_run(store, *job);
    if (longer != nullptr)
      store.add(cut_run(*longer, job->key.budget));
    else
      ++failures;  // the longer run failed, and said so
  }
  return failures;
}

}  // namespace

std::size_t make_runs(const std::vector<Job>& jobs, RunStore& store, const Workers& workers) {
  const auto [missing, cuts] = missing_jobs(jobs, store);
  if (workers.progress)
    std::fprintf(stderr, "%zu of %zu runs are there, %zu to make, %zu to cut from longer ones\n",
                 jobs.size() - missing.size() - cuts.size(), jobs.size(), missing.size(), cuts.size());
  Progress progress(workers.progress, missing.size());
  std::atomic<std::size_t> next = 0, failures = 0;
  const auto work = [&, &missing = missing] {
    for (std::size_t i = next++; i < missing.size() && !workers.stop.stop_requested(); i = next++) {
      const Job& job = *missing[i];
      try {
        store.add(run_once(*job.problem, *job.method, job.key, workers.stop));
      } catch (const RunStopped&) {
        return;
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
  return workers.stop.stop_requested() ? failures.load() : failures + make_cuts(cuts, store);
}

}  // namespace carbo::replay
