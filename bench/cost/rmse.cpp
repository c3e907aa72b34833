#include "bench/cost/rmse.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "backend/backend.hpp"
#include "bench/draw/palette.hpp"
#include "cost/cost_model.hpp"
#include "formulas/philox.hpp"
#include "gp/fit.hpp"
#include "replay/statistics.hpp"

namespace carbo::cost_bench {

namespace {

/// Configurations of a table with their encodings, which cost models refer to.
class EncodedRows {
 public:
  explicit EncodedRows(const replay::Table& table) : table_(table) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      encoded_.emplace_back(mlp_space().encoded_columns());
      mlp_space().encode(table.row(row), encoded_.back());
    }
  }
  internal::CostPoint point(std::size_t row) const { return {.encoded = encoded_[row], .numbers = table_.row(row)}; }

 private:
  const replay::Table& table_;
  std::vector<std::vector<double>> encoded_;
};

}  // namespace

const std::vector<NamedModel>& compared_models() {
  static const std::vector<NamedModel> models = {
      {CostModelKind::log_gp, "warped GP", draw::series_colour(0)},
      {CostModelKind::linear, "linear", draw::series_colour(1)},
      {CostModelKind::linear_mean_gp, "linear-mean GP", draw::series_colour(2)},
      {CostModelKind::automatic, "automatic", draw::series_colour(3)}};
  return models;
}

double root_mean_square_error(std::span<const double> predicted_logs, std::span<const double> costs) {
  if (predicted_logs.size() != costs.size() || costs.empty())
    throw std::invalid_argument("an error needs as many predictions as costs, and at least one");
  double sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double difference = predicted_logs[i] - std::log(costs[i]);
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(costs.size()));
}

std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) {
    const auto block = kernels::philox(seed, i, 0);
    const double unit = kernels::unit_double(block.word[0], block.word[1]);
    std::swap(order[i - 1], order[static_cast<std::size_t>(unit * static_cast<double>(i))]);
  }
  return order;
}

double held_out_error(const replay::Table& table, const DataSource& source, CostModelKind kind,
                      std::span<const std::size_t> taught, std::span<const std::size_t> held_out,
                      std::uint64_t seed) {
  const EncodedRows rows(table);
  const auto backend = internal::make_backend({.kind = BackendKind::cpu, .threads = 1});
  const CostOptions options{.model = kind, .features = mlp_cost_features(source)};
  const auto model = internal::make_cost_model(mlp_space(), options, *backend);
  std::vector<internal::CostObservation> observations;
  for (const std::size_t row : taught)
    observations.push_back({.point = rows.point(row), .cost = table.cost[row], .censored = false});
  const auto problems = model->prepare(observations);
  model->update(internal::fit(*backend, problems, seed));

  std::vector<double> predicted, costs;
  for (const std::size_t row : held_out) {
    predicted.push_back(model->predict(rows.point(row)).mean);
    costs.push_back(table.cost[row]);
  }
  return root_mean_square_error(predicted, costs);
}

std::vector<ErrorCurve> error_curves(const replay::Table& table, const DataSource& source,
                                     const RmseSettings& settings) {
  std::vector<std::vector<std::size_t>> orders;
  for (std::size_t repeat = 0; repeat < settings.repeats; ++repeat)
    orders.push_back(random_order(table.rows(), repeat));
  std::vector<ErrorCurve> curves;
  for (const NamedModel& model : compared_models()) {
    ErrorCurve& curve = curves.emplace_back();
    for (const std::size_t count : settings.observations) {
      if (settings.held_out + count > table.rows())
        throw std::invalid_argument("the table is too short for the rows that are held out and taught");
      std::vector<double> errors;
      for (std::size_t repeat = 0; repeat < settings.repeats; ++repeat) {
        const std::span<const std::size_t> order = orders[repeat];
        errors.push_back(held_out_error(table, source, model.kind, order.subspan(settings.held_out, count),
                                        order.first(settings.held_out), repeat));
      }
      curve.lower.push_back(replay::quantile(errors, 0.25));
      curve.middle.push_back(replay::median(errors));
      curve.upper.push_back(replay::quantile(errors, 0.75));
    }
  }
  return curves;
}

}  // namespace carbo::cost_bench
