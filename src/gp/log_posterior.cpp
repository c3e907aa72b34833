#include "gp/log_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "gp/copies.hpp"
#include "gp/row_blocks.hpp"
#include "gp/row_choice.hpp"

namespace carbo::internal {
namespace {

// Bounds, in units of the cube and of standardised targets. A lengthscale of 1,000 makes a parameter irrelevant.
constexpr double shortest_lengthscale = 1e-2;
constexpr double longest_lengthscale = 1e3;
constexpr double lowest_signal_variance = 1e-3;
constexpr double highest_signal_variance = 1e4;
constexpr double highest_noise_variance = 2.0;  // above 1: the spread of ten copies of one point

constexpr double difference_step = 1e-3;  // of a log-parameter

/// The prior of Hvarfner et al. (2024) is log-normal with location √2 + ½ log p and scale √3. The mode of that
/// density over ℓ itself, 3 below the location, is the centre here: measured on held-out data, the location itself
/// (the mode over log ℓ) predicts far worse with few observations.
LogNormalPrior lengthscale_prior(std::size_t groups) {
  return {std::numbers::sqrt2 - 3.0 + 0.5 * std::log(static_cast<double>(groups)), std::sqrt(3.0)};
}
constexpr LogNormalPrior signal_prior{0.0, 3.0};

/// Larger blocks would cost more than they tell.
constexpr std::size_t most_rows_of_a_block = 1000;

/// A likelihood takes time with the third power of its rows, and what more of them say moves parameters less and
/// less: of 2,000 rows those of 1,024 have a likelihood that is lower by 0.015 nats a row (Hartmann-6 with little
/// noise).
constexpr std::size_t most_rows_of_a_likelihood = 1024;

}  // namespace

const TrainingData& fitted_data(const FitProblem& problem) {
  return problem.all != nullptr ? *problem.all : *problem.data;
}

std::vector<std::size_t> rows_of_likelihood(const FitProblem& problem, std::uint64_t seed) {
  const std::size_t rows = problem.data->size();
  if (problem.all != nullptr || rows <= most_rows_of_a_likelihood) return {};
  return random_rows(rows, most_rows_of_a_likelihood, seed);
}

std::size_t group_count(std::span<const int> column_groups) {
  int last = -1;
  for (const int group : column_groups) last = std::max(last, group);
  return static_cast<std::size_t>(last + 1);
}

TrainingData rows_of(const TrainingData& data, std::span<const std::size_t> rows) {
  TrainingData chosen;
  chosen.columns = data.columns;
  for (const std::size_t row : rows) {
    const auto point = data.view().row(row);
    chosen.points.insert(chosen.points.end(), point.begin(), point.end());
    chosen.targets.push_back(data.targets[row]);
    if (data.counts.empty()) continue;
    chosen.counts.push_back(data.counts[row]);
    chosen.squares.push_back(data.squares[row]);
  }
  return chosen;
}

LogPosterior::LogPosterior(const FitProblem& problem, std::span<const std::size_t> rows)
    : own_(rows_of(fitted_data(problem), rows)),
      data_(rows.empty() ? &fitted_data(problem) : &own_),
      column_groups_(problem.column_groups) {
  const std::size_t groups = group_count(column_groups_);
  lower_.assign(groups, std::log(shortest_lengthscale));
  upper_.assign(groups, std::log(longest_lengthscale));
  lower_.push_back(std::log(lowest_signal_variance));
  upper_.push_back(std::log(highest_signal_variance));
  lower_.push_back(std::log(problem.options->noise_floor));
  upper_.push_back(std::log(highest_noise_variance));
  if (problem.options->estimation == Estimation::map) {
    priors_.assign(groups, lengthscale_prior(groups));
    priors_.push_back(signal_prior);
    priors_.push_back(problem.noise);
  }
  if (problem.all == nullptr || !rows.empty()) return;
  const std::size_t most = std::min(problem.data->size(), most_rows_of_a_block);
  for (const auto& block : neighbour_blocks(data_->view(), most)) blocks_.push_back(rows_of(*data_, block));
}

std::vector<double> LogPosterior::start() const {
  std::vector<double> middle(parameters(), 0.5);
  return start(middle);
}

std::vector<double> LogPosterior::start(std::span<const double> uniforms) const {
  const std::size_t groups = parameters() - 2;
  const double spread = 0.5 * std::log(static_cast<double>(groups));  // distances in the cube grow with √groups
  std::vector<double> log_parameters(parameters());
  for (std::size_t i = 0; i < groups; ++i) log_parameters[i] = std::log(0.5) + spread + 4.0 * (uniforms[i] - 0.5);
  log_parameters[groups] = 3.0 * (uniforms[groups] - 0.5);
  log_parameters[groups + 1] = std::log(1e-3) + 8.0 * (uniforms[groups + 1] - 0.5);
  for (std::size_t i = 0; i < parameters(); ++i) {
    log_parameters[i] = std::clamp(log_parameters[i], lower_[i], upper_[i]);
  }
  return log_parameters;
}

LikelihoodRequest LogPosterior::request(std::span<const double> log_parameters, std::size_t block) const {
  const TrainingData& rows = blocks_.empty() ? *data_ : blocks_[block];
  // A mean of its own would hide from a block's likelihood what the function does over long distances.
  const std::optional<double> mean = blocks_.empty() ? std::nullopt : std::optional(0.0);
  return {rows.view(), rows.targets, column_groups_, log_parameters, mean, rows.counts};
}

LikelihoodValue LogPosterior::total(std::span<const double> log_parameters,
                                    std::span<const LikelihoodValue> values) const {
  LikelihoodValue total = values.front();
  for (const LikelihoodValue& value : values) {
    if (!std::isfinite(value.log_likelihood)) return {};
    if (&value == values.data()) continue;
    total.log_likelihood += value.log_likelihood;
    total.mean = value.mean;
    for (std::size_t i = 0; i < total.gradient.size(); ++i) total.gradient[i] += value.gradient[i];
  }
  if (data_->counts.empty()) return total;
  const CopyTerms terms = copy_terms(data_->counts, data_->squares, std::exp(log_parameters.back()));
  total.log_likelihood += terms.log_likelihood;
  total.gradient.back() += terms.gradient;
  return total;
}

double LogPosterior::add_prior(std::span<const double> log_parameters, std::span<double> gradient) const {
  double log_density = 0;
  for (std::size_t i = 0; i < priors_.size(); ++i) {
    const double offset = (log_parameters[i] - priors_[i].location) / priors_[i].deviation;
    log_density -= 0.5 * offset * offset;
    gradient[i] -= offset / priors_[i].deviation;
  }
  return log_density;
}

double LogPosterior::prior_curvature(std::size_t i) const {
  return priors_.empty() ? 0.0 : -1.0 / (priors_[i].deviation * priors_[i].deviation);
}

Eigen::MatrixXd likelihood_hessian(GpBackend& backend, const LogPosterior& posterior,
                                   std::span<const double> log_parameters) {
  const std::size_t size = posterior.parameters();
  std::vector<std::vector<double>> shifted(2 * size, {log_parameters.begin(), log_parameters.end()});
  std::vector<LikelihoodRequest> requests;
  for (std::size_t i = 0; i < size; ++i) {
    shifted[2 * i][i] += difference_step;
    shifted[2 * i + 1][i] -= difference_step;
  }
  for (const auto& point : shifted)
    for (std::size_t block = 0; block < posterior.blocks(); ++block)
      requests.push_back(posterior.request(point, block));
  std::vector<LikelihoodValue> of_blocks(requests.size()), values;
  backend.likelihoods(requests, of_blocks);
  for (std::size_t i = 0; i < shifted.size(); ++i)
    values.push_back(
        posterior.total(shifted[i], std::span(of_blocks).subspan(i * posterior.blocks(), posterior.blocks())));
  Eigen::MatrixXd hessian(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    const LikelihoodValue& above = values[2 * i];
    const LikelihoodValue& below = values[2 * i + 1];
    const bool failed = !std::isfinite(above.log_likelihood) || !std::isfinite(below.log_likelihood);
    for (std::size_t j = 0; j < size; ++j) {
      hessian(i, j) = failed ? std::nan("") : (below.gradient[j] - above.gradient[j]) / (2 * difference_step);
    }
  }
  return 0.5 * (hessian + hessian.transpose());
}

std::vector<double> to_log_parameters(const Hyperparameters& hyperparameters) {
  std::vector<double> log_parameters;
  for (const double lengthscale : hyperparameters.lengthscales) log_parameters.push_back(std::log(lengthscale));
  log_parameters.push_back(std::log(hyperparameters.signal_variance));
  log_parameters.push_back(std::log(hyperparameters.noise_variance));
  return log_parameters;
}

Hyperparameters from_log_parameters(std::span<const double> log_parameters, double mean) {
  Hyperparameters result;
  const std::size_t groups = log_parameters.size() - 2;
  for (std::size_t i = 0; i < groups; ++i) result.lengthscales.push_back(std::exp(log_parameters[i]));
  result.signal_variance = std::exp(log_parameters[groups]);
  result.noise_variance = std::exp(log_parameters[groups + 1]);
  result.mean = mean;
  return result;
}

bool uninformative(const TrainingData& data) {
  constexpr double equal = 1e-9;  // standardised: 0 where equal, of order 1 otherwise
  if (std::ranges::any_of(data.squares, [](double one) { return one > equal * equal; })) return false;
  if (data.size() < 2) return true;
  const auto [low, high] = std::minmax_element(data.targets.begin(), data.targets.end());
  return *high - *low <= equal;
}

}  // namespace carbo::internal
