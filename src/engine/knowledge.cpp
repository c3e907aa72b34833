// What the models know, for callers who ask.

#include <cmath>
#include <utility>

#include <carbo/error.hpp>

#include "engine/optimizer_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;

void Optimizer::State::learn_all() {
  history_.learn_new();
  follow(working_plan(options_.batch_size));
  update_models();
}

std::vector<std::optional<std::size_t>> Optimizer::State::pool_rows_of(
    std::span<const Configuration> configurations) const {
  if (!internal::uses_pool_column(options_.cost))
    return std::vector<std::optional<std::size_t>>(configurations.size());
  std::vector<double> numbers;
  for (const Configuration& one : configurations)
    numbers.insert(numbers.end(), one.numbers().begin(), one.numbers().end());
  return store_.find_all_in_pool(numbers);
}

std::vector<Prediction> Optimizer::State::predictions(std::span<const Configuration> configurations,
                                                      double coverage) const {
  std::vector<Prediction> predictions(configurations.size());
  if (configurations.empty()) return predictions;
  const std::size_t columns = space_.encoded_columns();
  std::vector<double> encoded(configurations.size() * columns);
  const auto encoded_row = [&](std::size_t i) { return std::span(encoded).subspan(i * columns, columns); };
  for (std::size_t i = 0; i < configurations.size(); ++i) space_.encode(configurations[i].numbers(), encoded_row(i));
  if (models_.objective_ready()) {
    const auto found = models_.predict_objective({encoded.data(), configurations.size(), columns}, coverage);
    for (std::size_t i = 0; i < found.size(); ++i) predictions[i].objective = found[i];
  }
  if (!models_.cost().ready()) return predictions;
  const bool rows_alone = internal::uses_pool_column(options_.cost);
  const auto pool_rows = pool_rows_of(configurations);
  std::vector<std::size_t> with_cost;
  std::vector<internal::CostPoint> points;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (rows_alone && !pool_rows[i]) continue;
    with_cost.push_back(i);
    points.push_back({encoded_row(i), configurations[i].numbers(), pool_rows[i]});
  }
  const std::vector<internal::LogCost> costs = models_.cost().predictions(points);
  for (std::size_t i = 0; i < costs.size(); ++i)
    predictions[with_cost[i]].cost = CostPrediction{internal::median_cost(costs[i]), std::sqrt(costs[i].variance)};
  return predictions;
}

std::vector<Prediction> Optimizer::State::predict(std::span<const Configuration> configurations, double coverage) {
  if (!(coverage > 0 && coverage < 1)) {
    throw InvalidOptions(text("coverage is ", coverage, "; give a probability between 0 and 1, both excluded"));
  }
  std::vector<Configuration> own_ones;
  for (const Configuration& one : configurations) own_ones.push_back(own(one));
  learn_all();
  return predictions(own_ones, coverage);
}

std::optional<Recommendation> Optimizer::State::recommend() {
  learn_all();
  if (!models_.objective_ready()) return std::nullopt;
  const std::size_t columns = space_.encoded_columns();
  std::vector<const Observation*> successes;
  std::vector<double> encoded;
  for (const Observation& seen : history_.observations()) {
    if (seen.status != ObservationStatus::succeeded) continue;
    successes.push_back(&seen);
    encoded.resize(encoded.size() + columns);
    space_.encode(seen.configuration.numbers(), std::span(encoded).last(columns));
  }
  std::vector<double> means(successes.size());
  models_.objective().factor().predict({encoded.data(), successes.size(), columns}, means, {});
  std::size_t best = 0;
  for (std::size_t i = 1; i < means.size(); ++i)
    if (means[i] < means[best]) best = i;
  Recommendation found{successes[best]->configuration, 0, {}};
  for (const Observation* seen : successes) found.successes += seen->configuration == found.configuration ? 1 : 0;
  found.prediction = predictions({&found.configuration, 1}, 0.95).front();
  return found;
}

FittedModels Optimizer::State::hyperparameters() {
  learn_all();
  FittedModels models;
  if (models_.objective_ready()) models.objective = models_.fitted_objective();
  if (!models_.cost().ready()) return models;
  models.cost_model = models_.cost().kind();
  models.cost = models_.cost().fitted();
  return models;
}

}  // namespace carbo
