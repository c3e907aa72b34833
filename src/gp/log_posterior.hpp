#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/gp_backend.hpp"
#include "gp/fit.hpp"

namespace carbo::internal {

/// Number of lengthscales that `column_groups` names.
std::size_t group_count(std::span<const int> column_groups);

/// The rows that a problem's hyperparameters are fitted to.
const TrainingData& fitted_data(const FitProblem& problem);
/// Those of them that a likelihood is of, drawn where there are many; empty where it is of all, or one of blocks.
std::vector<std::size_t> rows_of_likelihood(const FitProblem& problem, std::uint64_t seed);

/// What a fit maximises over the log-parameters (group log lengthscales, log signal variance, log noise
/// variance): the log marginal likelihood of one problem's data and, for MAP, the log density of the priors.
class LogPosterior {
 public:
  /// On all rows of the problem, in blocks where it has `all`, or on those of `rows` where it is not empty. The
  /// problem's data must outlive it.
  explicit LogPosterior(const FitProblem& problem, std::span<const std::size_t> rows = {});
  LogPosterior(const LogPosterior&) = delete;
  LogPosterior& operator=(const LogPosterior&) = delete;

  std::size_t parameters() const { return lower_.size(); }
  std::size_t rows() const { return data_->size(); }
  /// Blocks that the rows are in; one where their likelihood is not split.
  std::size_t blocks() const { return blocks_.empty() ? 1 : blocks_.size(); }
  /// Box of the log-parameters.
  std::span<const double> lower() const { return lower_; }
  std::span<const double> upper() const { return upper_; }
  /// Where a fit begins that knows nothing; also the result for data that say nothing (one row, equal targets).
  std::vector<double> start() const;
  /// A start from `parameters()` numbers in (0, 1).
  std::vector<double> start(std::span<const double> uniforms) const;

  /// The likelihood of a block wanted at `log_parameters`, which must stay alive as long as the request.
  LikelihoodRequest request(std::span<const double> log_parameters, std::size_t block = 0) const;
  /// What the likelihoods of all blocks make together: of all observations, copies of a point counted. The mean is
  /// that of the last block; −inf where any is.
  LikelihoodValue total(std::span<const double> log_parameters, std::span<const LikelihoodValue> values) const;
  /// Log density of the priors (0 for maximum likelihood), up to its constant; `gradient` is added to.
  double add_prior(std::span<const double> log_parameters, std::span<double> gradient) const;
  /// Second derivative of the prior's log density in parameter `i`; 0 or below.
  double prior_curvature(std::size_t i) const;

 private:
  TrainingData own_;  ///< of a subset
  const TrainingData* data_;
  std::vector<TrainingData> blocks_;  ///< empty where there is one
  std::span<const int> column_groups_;
  std::vector<double> lower_, upper_;
  std::vector<LogNormalPrior> priors_;  ///< one a parameter; empty for maximum likelihood
};

/// Hessian of minus the log likelihood (without prior) at `log_parameters`: central differences of the analytic
/// gradient, symmetrised, as one batched call. Entries are NaN where a likelihood failed.
Eigen::MatrixXd likelihood_hessian(GpBackend& backend, const LogPosterior& posterior,
                                   std::span<const double> log_parameters);

std::vector<double> to_log_parameters(const Hyperparameters& hyperparameters);
/// `mean` is set.
Hyperparameters from_log_parameters(std::span<const double> log_parameters, double mean);

/// Whether the targets carry no information: fewer than two, or all equal.
bool uninformative(const TrainingData& data);

}  // namespace carbo::internal
