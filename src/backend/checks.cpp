#include "backend/checks.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>

#include "acquisition/table.hpp"
#include "support/text.hpp"

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

void throw_outside_cube(double value, const std::string& name, std::size_t row, std::size_t column) {
  const std::string where = text(name, ": row ", row, ", column ", column, " is ", value);
  if (!std::isfinite(value))
    throw InvalidArray(InvalidArray::Reason::not_finite, where + "; every value must be finite");
  throw InvalidArray(InvalidArray::Reason::out_of_range,
                     where + "; every value must lie in [0, 1]: scale the columns to the unit cube");
}

void check_size(std::size_t got, std::size_t expected, const std::string& what) {
  if (got != expected)
    throw InvalidOptions(what + ": " + std::to_string(got) + " given, " + std::to_string(expected) + " needed");
}

void check_sobol_rows(const SobolRows& rows) {
  constexpr std::uint64_t indices = std::uint64_t{1} << 32;
  if (rows.recipe == nullptr || rows.recipe->axes.empty() || rows.points == 0)
    throw InvalidOptions("candidates: a recipe and at least one Sobol point are needed");
  if (rows.indices.empty() && rows.points > indices - rows.first)
    throw InvalidOptions("candidates: " + std::to_string(rows.points) + " Sobol points from index " +
                         std::to_string(rows.first) + " on pass the last, 2^32 - 1");
  if (!rows.indices.empty()) check_size(rows.indices.size(), rows.points, "candidates, Sobol indices");
  if (rows.others.rows > 0)
    check_size(rows.others.columns, rows.recipe->columns, "candidates, columns of added rows");
  check_finite(rows.others, "candidates, added rows");
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

void check_counts(std::span<const double> counts, std::size_t rows, const std::string& what) {
  if (counts.empty()) return;
  check_size(counts.size(), rows, what + ", counts");
  for (const double count : counts)
    if (!(std::isfinite(count) && count >= 1.0))
      throw InvalidOptions(what + ": a row is the mean of " + number(count) +
                           " observations; at least one is needed");
}

void check_weighted_points(MatrixView points, std::span<const double> weights, std::size_t columns,
                           const std::string& what) {
  check_size(weights.size(), points.rows, what + ", weights");
  if (points.rows > 0) check_size(points.columns, columns, what + ", columns");
  check_finite(points, what + ", points");
  check_finite(weights, what + ", weights");
}

void check_requests(std::span<const LikelihoodRequest> requests, std::size_t values) {
  check_size(values, requests.size(), "likelihoods, values for the requests");
  for (const LikelihoodRequest& request : requests) {
    if (request.points.rows == 0) throw InvalidOptions("likelihood: no points given; at least one is needed");
    check_size(request.targets.size(), request.points.rows, "likelihood, targets");
    check_counts(request.counts, request.points.rows, "likelihood");
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

void check_linear_term(const LinearTerm& term, std::size_t features) {
  check_size(term.coefficients.size(), features, "linear_field, coefficients");
  check_finite(term.coefficients, "linear_field, coefficients");
  check_finite(term.covariance, "linear_field, covariance");
  const bool fits = std::isfinite(term.intercept) && std::isfinite(term.knee) && term.knee > 0 &&
                    std::isfinite(term.spread) && term.spread >= 0;
  if (!fits)
    throw InvalidOptions("linear_field: intercept " + number(term.intercept) + ", knee " + number(term.knee) +
                         " and spread " + number(term.spread) +
                         "; finite numbers, a knee above 0 and a spread of 0 or above are needed");
  if (!term.covariance.empty())
    check_size(term.covariance.size(), (features + 1) * (features + 1), "linear_field, covariance");
}

void check_field_values(std::span<const double> means, std::span<const double> variances) {
  check_finite(means, "make_field, means");
  check_finite(variances, "make_field, variances");
  if (!variances.empty()) check_size(variances.size(), means.size(), "make_field, variances");
  if (std::any_of(variances.begin(), variances.end(), [](double v) { return v < 0.0; }))
    throw InvalidOptions("make_field: a variance is negative; 0 or above is needed");
}

void check_incumbents(std::span<const double> incumbents, std::size_t expected) {
  check_size(incumbents.size(), expected, "score, incumbents");
  check_finite(incumbents, "score, incumbents");
}

namespace {

void check_extremes(const kernels::AcquisitionSpec& acquisition) {
  const bool needed = kernels::visit_score(
      acquisition.which, [](auto type) { return decltype(type)::type::needs_extremes; }, false);
  if (!needed) return;
  if (acquisition.extremes == nullptr) throw InvalidOptions("score: the acquisition needs samples of the minimum");
  check_finite(kernels::extremes_of(acquisition), "score, samples of the minimum");
}

}  // namespace

void check_acquisition(const kernels::AcquisitionSpec& acquisition) {
  const char* const what = kernels::visit_score(
      acquisition.which, [&](auto type) { return decltype(type)::type::refuses(acquisition.parameter); },
      "an acquisition that scores candidates");
  if (what == nullptr) return check_extremes(acquisition);
  throw InvalidOptions("score: the parameter of the acquisition is " + number(acquisition.parameter) + "; " + what +
                       " is needed");
}

void check_fantasy(std::span<const double> point, std::size_t columns, std::span<const double> normals,
                   std::size_t members) {
  if (members == 0 || normals.empty() || normals.size() % members != 0)
    throw InvalidOptions("fantasise: " + std::to_string(normals.size()) + " normals for " + std::to_string(members) +
                         " members; an equal number of each is needed");
  check_size(point.size(), columns, "fantasise, coordinates");
  check_finite(point, "fantasise, point");
  check_finite(normals, "fantasise, normals");
}

void throw_without_values(const char* where) {
  throw InvalidOptions(std::string(where) + ": this field is for searches; sweep the candidates for one with values");
}

void check_field_index(std::size_t index, std::size_t size, const char* what) {
  if (index >= size)
    throw InvalidOptions(std::string("field: ") + what + " " + std::to_string(index) + " must lie in [0, " +
                         std::to_string(size) + ")");
}

void check_field_room(std::span<const double> means, std::span<const double> variances, std::size_t size,
                      bool has_variance) {
  check_size(means.size(), size, "field, room for means");
  check_size(variances.size(), size, "field, room for variances");
  if (!has_variance) throw InvalidOptions("field: it was swept without a variance");
}

std::size_t checked_fantasies(const SearchSetup& setup) {
  if (setup.factors.empty() || setup.fantasies == 0 || setup.fantasies % setup.factors.size() != 0)
    throw InvalidOptions("search: " + std::to_string(setup.fantasies) + " fantasies for " +
                         std::to_string(setup.factors.size()) + " factors; an equal number of each is needed");
  return setup.fantasies;
}

void check_normals_ahead(std::span<const double> normals, std::size_t fantasies) {
  if (normals.size() % fantasies != 0)
    throw InvalidOptions("search: " + std::to_string(normals.size()) + " normals ahead given, a multiple of " +
                         std::to_string(fantasies) + " needed");
  check_finite(normals, "search, normals ahead");
}

bool representable(std::span<const double> log_parameters) {
  const std::span<const double> all_but_noise = log_parameters.first(log_parameters.size() - 1);
  const bool moderate = std::all_of(all_but_noise.begin(), all_but_noise.end(),
                                    [](double p) { return std::abs(p) <= largest_log_parameter; });
  return moderate && log_parameters.back() <= largest_log_parameter;
}

}  // namespace carbo::internal
