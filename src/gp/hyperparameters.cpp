#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <carbo/error.hpp>

#include "gp/fit.hpp"
#include "gp/log_posterior.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

// Of one log-parameter along an eigenvector of the Hessian: the Laplace approximation of a flat direction would
// otherwise leave the box.
constexpr double largest_deviation = 1.0;

constexpr std::size_t most_restarts = 1024;

[[noreturn]] void reject(const std::string& field, double value, const std::string& expected) {
  throw InvalidOptions(field + " is " + std::to_string(value) + "; expected " + expected);
}

/// Means by generalised least squares, one a parameter set; NaN where the factor failed.
std::vector<double> estimated_means(GpBackend& backend, const TrainingData& data, std::span<const int> column_groups,
                                    std::span<const std::vector<double>> log_parameters) {
  std::vector<LikelihoodRequest> requests;
  for (const auto& one : log_parameters)
    requests.push_back({data.view(), data.targets, column_groups, one, {}, data.counts});
  std::vector<LikelihoodValue> values(requests.size());
  backend.likelihoods(requests, values);
  std::vector<double> means;
  for (const LikelihoodValue& value : values) {
    means.push_back(std::isfinite(value.log_likelihood) ? value.mean : std::nan(""));
  }
  return means;
}

/// Columns: eigenvectors of the posterior's covariance in log-parameters, each times its standard deviation.
Eigen::MatrixXd laplace_axes(GpBackend& backend, const LogPosterior& posterior, std::span<const double> centre) {
  Eigen::MatrixXd precision = likelihood_hessian(backend, posterior, centre);
  for (Eigen::Index i = 0; i < precision.rows(); ++i) {
    precision(i, i) -= posterior.prior_curvature(static_cast<std::size_t>(i));
  }
  if (!precision.allFinite()) {
    throw NumericalError("the curvature of the hyperparameters' posterior is not finite at its optimum");
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(precision);
  const double floor = 1.0 / (largest_deviation * largest_deviation);
  const Eigen::VectorXd deviations = eigen.eigenvalues().cwiseMax(floor).cwiseSqrt().cwiseInverse();
  return eigen.eigenvectors() * deviations.asDiagonal();
}

}  // namespace

void validate(const SurrogateOptions& options, std::size_t parameters, const std::string& field) {
  if (!(options.noise_floor > 0 && options.noise_floor <= 1)) {
    reject(field + ".noise_floor", options.noise_floor, "a variance in (0, 1]");
  }
  if (options.restarts < 1 || options.restarts > most_restarts)
    throw InvalidOptions(field + ".restarts is " + std::to_string(options.restarts) + "; give 1 to " +
                         std::to_string(most_restarts));
  if (options.max_points < least_max_points)
    throw InvalidOptions(field + ".max_points is " + std::to_string(options.max_points) + "; give at least " +
                         std::to_string(least_max_points));
  if (!options.fixed) return;
  const Hyperparameters& fixed = *options.fixed;
  if (fixed.lengthscales.size() != parameters) {
    throw InvalidOptions(field + ".fixed.lengthscales has " + std::to_string(fixed.lengthscales.size()) +
                         " entries; expected one a parameter, " + std::to_string(parameters));
  }
  // What the backend takes, with room for squares.
  constexpr double least = 1e-100, most = 1e100;
  const auto positive = [](double value) { return value >= least && value <= most; };
  for (std::size_t i = 0; i < parameters; ++i) {
    const double lengthscale = fixed.lengthscales[i];
    if (!positive(lengthscale)) {
      reject(field + ".fixed.lengthscales[" + std::to_string(i) + "]", lengthscale, "a value from 1e-100 to 1e100");
    }
  }
  if (!positive(fixed.signal_variance)) {
    reject(field + ".fixed.signal_variance", fixed.signal_variance, "a value from 1e-100 to 1e100");
  }
  if (!(fixed.noise_variance >= 0 && fixed.noise_variance <= most)) {
    reject(field + ".fixed.noise_variance", fixed.noise_variance, "a value from 0 to 1e100");
  }
  if (fixed.mean && !(std::abs(*fixed.mean) <= most)) {
    reject(field + ".fixed.mean", *fixed.mean, "a value from -1e100 to 1e100");
  }
}

std::vector<Hyperparameters> sample_hyperparameters(GpBackend& backend, const FitProblem& problem,
                                                    const Hyperparameters& optimum, std::size_t count,
                                                    std::uint64_t seed) {
  if (problem.options->fixed || uninformative(*problem.data)) return {count, optimum};
  const LogPosterior posterior(problem, rows_of_likelihood(problem, seed));
  const std::vector<double> centre = to_log_parameters(optimum);
  const Eigen::MatrixXd axes = laplace_axes(backend, posterior, centre);
  std::vector<std::vector<double>> draws(count, centre);
  for (std::size_t k = 0; k < count; ++k) {
    Eigen::VectorXd normals(axes.cols());
    for (Eigen::Index j = 0; j < axes.cols(); ++j) {
      normals[j] = normal(seed, Draw::hyperparameter_sample, k, static_cast<std::uint32_t>(j));
    }
    const Eigen::VectorXd offset = axes * normals;
    for (std::size_t i = 0; i < centre.size(); ++i) {
      draws[k][i] =
          std::clamp(centre[i] + offset[static_cast<Eigen::Index>(i)], posterior.lower()[i], posterior.upper()[i]);
    }
  }
  const std::vector<double> means = estimated_means(backend, *problem.data, problem.column_groups, draws);
  std::vector<Hyperparameters> result;
  for (std::size_t k = 0; k < count; ++k) {
    // A draw whose covariance cannot be factored carries no weight in the posterior.
    result.push_back(std::isnan(means[k]) ? optimum : from_log_parameters(draws[k], means[k]));
  }
  return result;
}

GpParameters expand(GpBackend& backend, const Hyperparameters& hyperparameters, const TrainingData& data,
                    std::span<const int> column_groups) {
  GpParameters result;
  for (const int group : column_groups) {
    result.inverse_lengthscales.push_back(1.0 / hyperparameters.lengthscales[static_cast<std::size_t>(group)]);
  }
  result.signal_variance = hyperparameters.signal_variance;
  result.noise_variance = hyperparameters.noise_variance;
  if (hyperparameters.mean) {
    result.mean = *hyperparameters.mean;
  } else {
    Hyperparameters positive_noise = hyperparameters;
    positive_noise.noise_variance = std::max(hyperparameters.noise_variance, 1e-300);
    const std::vector<double> log_parameters = to_log_parameters(positive_noise);
    result.mean = estimated_means(backend, data, column_groups, {&log_parameters, 1}).front();
    if (std::isnan(result.mean)) {
      throw NumericalError("the covariance of " + std::to_string(data.size()) +
                           " rows stayed indefinite at the largest jitter; a higher noise_variance would help");
    }
  }
  return result;
}

Calibration calibration(const LeaveOneOut& left_out, std::span<const double> targets) {
  constexpr double central_95 = 1.959963984540054;
  constexpr double smallest_variance = 1e-30;  // of standardised targets: below rounding
  Calibration result;
  const double count = static_cast<double>(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double variance = std::max(left_out.variance[i], smallest_variance);
    const double squared = (targets[i] - left_out.mean[i]) * (targets[i] - left_out.mean[i]) / variance;
    result.log_density -= 0.5 * (std::log(2.0 * std::numbers::pi * variance) + squared) / count;
    result.squared_residual += squared / count;
    if (squared <= central_95 * central_95) result.coverage += 1.0 / count;
  }
  return result;
}

}  // namespace carbo::internal
