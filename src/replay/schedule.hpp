#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/store.hpp"

namespace carbo::replay {

/// A run that is wanted. Problem and method outlive it.
struct Job {
  const Problem* problem;
  const Method* method;
  RunKey key;
};

RunKey key_of(const Problem& problem, const Method& method, std::size_t batch, double budget, std::uint64_t seed);

/// Runs of a problem with seeds first … first + seeds − 1.
struct Cell {
  const Problem* problem;
  std::size_t batch = 1;
  double budget = 0;
  std::size_t seeds = 51;
};

/// All methods on all cells, seed by seed, so that a study that is cut off has all of them at nearly the same number
/// of seeds; seeds count from 1.
std::vector<Job> jobs_of(const std::vector<Cell>& cells, const std::vector<Method>& methods);

struct Workers {
  std::size_t threads = 0;  ///< 0: one a core
  bool progress = false;    ///< on standard error: a bar on a terminal, a line now and then elsewhere
  std::stop_token stop{};   ///< what runs then is left out, and what is finished is in the store
};

/// Makes every run that the store lacks. Of a method that ignores the budget, has Batches::fixed and does not sum
/// costs, the run with the largest is made and cut for the others, in the store or in this list. A run that throws is
/// reported on standard error and left out; returns how many did, without those that were stopped.
std::size_t make_runs(const std::vector<Job>& jobs, RunStore& store, const Workers& workers);

}  // namespace carbo::replay
