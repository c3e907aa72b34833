#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carbo::bench {

/// What is timed, on either backend. Each ends when its result is on the host.
enum class Job {
  fit,      ///< one lockstep step of the likelihoods of all restarts of both GPs, or a whole fit
  dense,    ///< the score of every candidate: the objective's posterior and the log cost's mean, from their factors
  pick,     ///< one exact bounded pick, everything but the factors computed anew
  batch,    ///< b picks with fantasies, everything but the factors computed anew
  append,   ///< one fantasised point over all candidates
  design,   ///< one design point: distances to it, and the race to the next
  suggest,  ///< `Optimizer::ask(b)` with a known history; candidates made and uploaded inside the time
};

inline constexpr std::array all_jobs{Job::fit,    Job::dense,  Job::pick,   Job::batch,
                                     Job::append, Job::design, Job::suggest};

/// The name that the command line and the results use.
const char* name_of(Job job);
/// Throws carbo::InvalidOptions that lists the names.
Job job_by_name(std::string_view name);

/// Sizes of one job.
struct JobSizes {
  std::size_t n = 0;  ///< observations
  std::size_t m = 0;  ///< candidates
  std::size_t d = 0;  ///< encoded columns, each with its lengthscale
  std::size_t b = 1;  ///< points of a batch
  std::size_t fantasies = 10;
  std::size_t restarts = 4;  ///< of a fit, for each of the two GPs
  bool batched = false;      ///< hyperparameters of its own for each fantasy

  friend bool operator==(const JobSizes&, const JobSizes&) = default;
};

/// One job in one form at one size.
struct Case {
  Job job = Job::fit;
  /// `step` or `whole` fit; `shared` or `batched` batch; `fitted` (the models stand) or `with fit` for suggest.
  std::string variant{};
  JobSizes sizes{};

  friend bool operator==(const Case&, const Case&) = default;
};

/// Sizes that the job does not depend on set to what they are by default, so that equal work compares equal.
JobSizes relevant(Job job, JobSizes sizes);
std::vector<std::string> variants_of(Job job, bool batched_too);

/// What the work of a job is held against.
enum class Limit {
  none,
  gemm,    ///< matrix products by OpenBLAS, Eigen or cuBLAS, flop/s
  memory,  ///< a triad, on a device copies, over arrays far larger than the caches, B/s
  matern,  ///< a bare pass of Matérn correlations, entries/s
  fma,     ///< independent multiply-adds in registers, flop/s; no job is held against it
};
const char* name_of(Limit limit);
Limit limit_by_name(std::string_view name);

/// What a case comes to by formula, whatever the backend does to get round it.
struct NominalWork {
  double units = 0;    ///< of useful work
  std::string unit{};  ///< "candidates", "picks", …
  double flops = 0;    ///< 0: not stated
  double bytes = 0;    ///< that must be read or written once; 0: not stated
  Limit limit = Limit::none;
  double limit_work = 0;  ///< in the limit's own units
};
NominalWork nominal_work(const Case& c);

/// Flops of one entry of a weighted Matérn sum: three a column for the distance, 40 for the rest.
double matern_entry_flops(std::size_t columns);

}  // namespace carbo::bench
