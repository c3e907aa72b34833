#include "bench/hpo/averages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace carbo::hpo {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

void add_normalised(std::vector<double>& sum, const std::vector<double>& curve, const Normalisation& normalise,
                    double weight) {
  sum.resize(curve.size(), 0.0);
  for (std::size_t i = 0; i < curve.size(); ++i) sum[i] += weight * normalise(curve[i]);
}

}  // namespace

double Normalisation::operator()(double value) const {
  if (!(top > bottom)) return 0.0;
  return std::isfinite(value) ? (value - bottom) / (top - bottom) : 1.0;
}

Normalisation normalisation_of(const std::vector<const std::vector<double>*>& medians) {
  Normalisation result{.top = -infinite, .bottom = infinite};
  for (const std::vector<double>* curve : medians) {
    const auto first = std::find_if(curve->begin(), curve->end(), [](double value) { return std::isfinite(value); });
    if (first == curve->end()) continue;
    result.top = std::max(result.top, *first);
    result.bottom = std::min(result.bottom, curve->back());
  }
  return result;
}

std::vector<MeanCurves> mean_curves(const std::vector<std::vector<CurveOf>>& compared) {
  if (compared.empty()) throw std::invalid_argument("a mean of curves needs at least one problem");
  std::vector<MeanCurves> means(compared.front().size());
  const double weight = 1.0 / static_cast<double>(compared.size());
  for (const std::vector<CurveOf>& problem : compared) {
    if (problem.size() != means.size())
      throw std::invalid_argument("a mean of curves needs the same methods on every problem");
    std::vector<const std::vector<double>*> medians;
    for (const CurveOf& curve : problem) medians.push_back(&curve.method->middle);
    const Normalisation normalise = normalisation_of(medians);
    for (std::size_t i = 0; i < means.size(); ++i) {
      add_normalised(means[i].lower, problem[i].method->lower, normalise, weight);
      add_normalised(means[i].middle, problem[i].method->middle, normalise, weight);
      add_normalised(means[i].upper, problem[i].method->upper, normalise, weight);
    }
  }
  return means;
}

std::vector<std::vector<CurveOf>> curves_named(const std::vector<replay::Summary>& cells,
                                               const std::vector<std::string>& methods) {
  std::vector<std::vector<CurveOf>> compared;
  for (const replay::Summary& cell : cells) {
    std::vector<CurveOf>& problem = compared.emplace_back();
    for (const std::string& name : methods) problem.push_back({&cell, &method_of(cell, name)});
  }
  return compared;
}

std::vector<std::vector<CurveOf>> curves_by_batch(const ExperimentResults& results, const std::string& method) {
  std::vector<std::vector<CurveOf>> compared(results.batches.front().problems.size());
  for (const BatchResults& group : results.batches) {
    if (group.problems.size() != compared.size())
      throw std::invalid_argument("experiment " + results.name + " has not the same problems with every batch size");
    for (std::size_t p = 0; p < compared.size(); ++p)
      compared[p].push_back({&group.problems[p], &method_of(group.problems[p], method)});
  }
  return compared;
}

}  // namespace carbo::hpo
