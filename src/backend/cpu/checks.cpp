#include "backend/cpu/checks.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>

namespace carbo::internal {
namespace {

/// Largest |log parameter|: squared distances then stay below 1e300 for coordinates up to 1e40.
constexpr double largest_log_parameter = 230.0;
constexpr double largest_parameter = 1e100;

std::string number(double value) { return std::to_string(value); }

}  // namespace

void check_finite(MatrixView values, const std::string& what) {
  for (std::size_t i = 0; i < values.rows * values.columns; ++i) {
    if (std::isfinite(values.data[i])) continue;
    throw NumericalError(what + ": row " + std::to_string(i / values.columns) + ", column " +
                         std::to_string(i % values.columns) + " is " + number(values.data[i]) +
                         "; every value must be finite");
  }
}

void check_finite(std::span<const double> values, const std::string& what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw NumericalError(what + ": entry " + std::to_string(i) + " is " + number(values[i]) +
                         "; every value must be finite");
  }
}

void check_size(std::size_t got, std::size_t expected, const std::string& what) {
  if (got != expected)
    throw InvalidOptions(what + ": " + std::to_string(got) + " given, " + std::to_string(expected) + " needed");
}

void check_parameters(const GpParameters& parameters, std::size_t columns) {
  check_size(parameters.inverse_lengthscales.size(), columns, "GP parameters, inverse lengthscales");
  for (const double inverse : parameters.inverse_lengthscales)
    if (!(inverse >= 0.0 && inverse <= largest_parameter))
      throw InvalidOptions("GP parameters: inverse lengthscale " + number(inverse) + " must lie in [0, 1e100]");
  if (!(parameters.signal_variance > 0.0 && parameters.signal_variance <= largest_parameter))
    throw InvalidOptions("GP parameters: signal variance " + number(parameters.signal_variance) +
                         " must lie in (0, 1e100]");
  if (!(parameters.noise_variance >= 0.0 && parameters.noise_variance <= largest_parameter))
    throw InvalidOptions("GP parameters: noise variance " + number(parameters.noise_variance) +
                         " must lie in [0, 1e100]");
  if (!std::isfinite(parameters.mean))
    throw InvalidOptions("GP parameters: mean " + number(parameters.mean) + " must be finite");
}

void check_requests(std::span<const LikelihoodRequest> requests, std::size_t values) {
  check_size(values, requests.size(), "likelihoods, values for the requests");
  for (const LikelihoodRequest& request : requests) {
    if (request.points.rows == 0) throw InvalidOptions("likelihood: no points given; at least one is needed");
    check_size(request.targets.size(), request.points.rows, "likelihood, targets");
    check_size(request.column_groups.size(), request.points.columns, "likelihood, column groups");
    if (request.log_parameters.size() < 2)
      throw InvalidOptions("likelihood: log parameters must end with the signal and the noise variance");
    const auto groups = static_cast<std::ptrdiff_t>(request.log_parameters.size()) - 2;
    for (const int group : request.column_groups)
      if (group < 0 || group >= groups)
        throw InvalidOptions("likelihood: column group " + std::to_string(group) + " must lie in [0, " +
                             std::to_string(groups) + ")");
    for (const double parameter : request.log_parameters)
      if (std::isnan(parameter)) throw InvalidOptions("likelihood: a log parameter is NaN");
    if (request.mean && !std::isfinite(*request.mean))
      throw InvalidOptions("likelihood: mean " + number(*request.mean) + " must be finite");
    check_finite(request.points, "likelihood, points");
    check_finite(request.targets, "likelihood, targets");
  }
}

bool representable(std::span<const double> log_parameters) {
  const std::span<const double> all_but_noise = log_parameters.first(log_parameters.size() - 1);
  const bool moderate = std::all_of(all_but_noise.begin(), all_but_noise.end(),
                                    [](double p) { return std::abs(p) <= largest_log_parameter; });
  return moderate && log_parameters.back() <= largest_log_parameter;
}

}  // namespace carbo::internal
