#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/options.hpp>

#include "backend/gp_backend.hpp"

namespace carbo::internal {

/// Standardised data of one GP: observations, or the rows that these make (see merge_copies).
struct TrainingData {
  std::vector<double> points;   ///< n × columns, encoded
  std::vector<double> targets;  ///< n, mean 0 and variance 1 (all 0 where they are equal)
  std::size_t columns = 0;
  /// Observations that a row is the mean of, and the sum of their squares about it; empty where each is one.
  std::vector<double> counts{}, squares{};

  std::size_t size() const { return targets.size(); }
  MatrixView view() const { return {points.data(), targets.size(), columns}; }
};

/// These rows, in this order.
TrainingData rows_of(const TrainingData& data, std::span<const std::size_t> rows);

/// Normal distribution of the logarithm of a hyperparameter.
struct LogNormalPrior {
  double location = 0;   ///< of the logarithm
  double deviation = 1;  ///< of the logarithm
};

/// What is expected of the noise variance of standardised targets before any is seen, for MAP.
inline constexpr LogNormalPrior little_noise{-7.0, 3.0};

/// Of SurrogateOptions::max_points.
inline constexpr std::size_t least_max_points = 64;
/// Starts of a fit of more rows see a subset, which is smaller.
inline constexpr std::size_t most_rows_of_a_start = 320;

/// Of more rows a fit takes long (n³) and its parameters hardly move: it comes later, and stops where what is left to
/// gain is small beside what the rows say.
inline constexpr std::size_t most_rows_fitted_closely = 512;

/// One GP to fit; several are fitted together so that their likelihoods share batched calls.
struct FitProblem {
  const TrainingData* data = nullptr;
  std::span<const int> column_groups;  ///< parameter that each encoded column belongs to
  const SurrogateOptions* options = nullptr;
  /// Last optimum; a full fit starts from it among others, a quick fit from it alone.
  std::optional<Hyperparameters> warm_start;
  bool full = true;  ///< all restarts, or the warm start alone (full where there is none)
  LogNormalPrior noise = little_noise;
  bool draft = false;  ///< beyond a few hundred rows, fitted to a subset alone
  /// Where not null: more rows, to be fitted in `data`'s place. The likelihood is then the product of those of blocks
  /// of neighbours, of at most 1,000 rows and no more than `data` has, each with a mean of 0: they know what the
  /// function does over short distances, as the likelihood of all rows does. Every optimum that starts find on a
  /// subset is polished, because a few hundred of that many rows say little about which is best.
  const TrainingData* all = nullptr;
};

struct FitResult {
  Hyperparameters hyperparameters;  ///< mean set, but where `all` was fitted in blocks
  double log_likelihood = 0;        ///< marginal, without prior, of the rows that were fitted
  std::size_t evaluations = 0;      ///< likelihood-and-gradient evaluations
};

/// Fits all problems in lockstep: each step is one batched likelihood-and-gradient call over every start of
/// every problem that is still moving. Beyond a few hundred rows, restarts run on a subset and the best
/// one is polished on all rows, of many rows from the warm start where that led to it, and of more than 1,024 on so
/// many that are drawn. Deterministic in the problem's seed; its result does not depend on the others. Data that say
/// nothing (one row, equal targets) get fixed, moderate hyperparameters. Throws NumericalError where the likelihood
/// fails at every start.
std::vector<FitResult> fit(GpBackend& backend, std::span<const FitProblem> problems,
                           std::span<const std::uint64_t> seeds);
/// All with one seed.
std::vector<FitResult> fit(GpBackend& backend, std::span<const FitProblem> problems, std::uint64_t seed);

/// Throws InvalidOptions naming the setting at fault under `field` ("surrogate", "cost.surrogate").
void validate(const SurrogateOptions& options, std::size_t parameters, const std::string& field);

/// `count` draws from the Laplace approximation of the hyperparameters' posterior round `optimum`, inside the
/// bounds of the fit. The mean of each is re-estimated. `optimum` itself, `count` times, where the hyperparameters
/// are fixed or the data say nothing of them.
std::vector<Hyperparameters> sample_hyperparameters(GpBackend& backend, const FitProblem& problem,
                                                    const Hyperparameters& optimum, std::size_t count,
                                                    std::uint64_t seed);

/// Per-column form of `hyperparameters` for the backend; an absent mean is estimated by generalised least squares.
GpParameters expand(GpBackend& backend, const Hyperparameters& hyperparameters, const TrainingData& data,
                    std::span<const int> column_groups);

Calibration calibration(const LeaveOneOut& left_out, std::span<const double> targets);

}  // namespace carbo::internal
