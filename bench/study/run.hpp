#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <carbo/optimizer.hpp>

#include "bench/study/method.hpp"
#include "bench/study/problem.hpp"

namespace carbo::study {

/// What all runs of a study share.
struct Settings {
  std::size_t batch = 1;
  std::size_t candidates = 2048;
};

/// Identity of a run: two runs with equal keys make the same evaluations with the same build.
struct RunKey {
  std::string problem{};
  std::string method{};
  std::uint64_t seed = 0;
  std::size_t batch = 1;
  std::size_t candidates = 0;
  double budget = 0;

  auto tied() const { return std::tie(problem, method, seed, batch, candidates, budget); }
  friend bool operator<(const RunKey& a, const RunKey& b) { return a.tied() < b.tied(); }
  friend bool operator==(const RunKey& a, const RunKey& b) { return a.tied() == b.tied(); }
};

/// One evaluation, in the order in which evaluations finish.
struct Step {
  Phase phase = Phase::warm_start;
  double alpha = 0;  ///< cost exponent of the suggestion's receipt
  double cost = 0;
  double finished = 0;          ///< budget spent when it finished
  double objective = 0;         ///< as observed
  double regret = 0;            ///< of this point: noise-free value minus optimum
  double incumbent_regret = 0;  ///< of the point with the lowest objective observed so far
};

struct StudyRun {
  RunKey key;
  std::vector<Step> steps{};
  double spent = 0;
  double seconds = 0;  ///< CPU time of the run's thread
};

/// affordable(problem) mean costs; a batch of b gets 1/√b of that on the clock, so that evaluations grow by about √b.
double budget_of(const Problem& problem, const CostProfile& profile, std::size_t batch);

/// Sets `incumbent_regret` of every step from the steps before it.
void fill_incumbents(std::vector<Step>& steps);

/// One run by ask and tell, on the calling thread. Synchronous batches count their longest evaluation.
StudyRun run_once(const Problem& problem, const Method& method, const RunKey& key);

/// Regret of the incumbent once `spent` of the budget is spent; infinity before the first evaluation finished.
double incumbent_regret_at(const StudyRun& run, double spent);
/// Evaluations that finished by then.
std::size_t evaluations_within(const StudyRun& run, double spent);

}  // namespace carbo::study
