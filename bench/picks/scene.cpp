#include "bench/picks/scene.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/study/functions.hpp"
#include "bench/support/statistics.hpp"
#include "gp/row_order.hpp"
#include "sobol.hpp"
#include "support/random.hpp"

namespace carbo::bench {

using namespace carbo::internal;

namespace {

constexpr std::size_t columns = Problem::columns;
constexpr double near_minimum = 0.08;  // standard deviation of observations round the minimum, a coordinate
constexpr double near_best = 0.1;      // and of candidates round the best observed
constexpr double pool_sobol_share = 0.7;

/// Streams of random numbers.
enum Stream : std::uint64_t { uniform_points = 1, points_near_minimum, noise, candidates_near_best, fantasised };

double inside(double coordinate) { return std::clamp(coordinate, 0.0, 1.0); }

std::vector<double> draw_points(DataSet data, std::size_t n) {
  constexpr double minimum[columns] = {0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573};
  std::vector<double> points(n * columns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t c = 0; c < columns; ++c)
      points[i * columns + c] =
          data != DataSet::spread && i % 2 == 1
              ? inside(minimum[c] + near_minimum * normal(points_near_minimum, Draw::fantasy, i, c))
              : uniform(uniform_points, Draw::uniform_configuration, i, c);
  return points;
}

std::vector<double> standardised_objective(MatrixView points, double noise_variance) {
  std::vector<double> values(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) values[i] = study::hartmann6(points.row(i));
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const double scale = std::sqrt(squares / static_cast<double>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (values[i] - centre) / scale + std::sqrt(noise_variance) * normal(noise, Draw::fantasy, i);
  return values;
}

double log_cost_at(std::span<const double> x) {
  double sum = 0;
  for (std::size_t c = 0; c < columns; ++c) sum += (c % 2 == 0 ? -1.0 : 1.5) * x[c];
  return sum;
}

std::vector<double> draw_pool(std::span<const double> best, std::size_t m) {
  const auto sobol = static_cast<std::size_t>(pool_sobol_share * static_cast<double>(m));
  std::vector<double> pool(m * columns);
  for (std::size_t i = 0; i < m; ++i)
    for (std::uint32_t c = 0; c < columns; ++c)
      pool[i * columns + c] = i < sobol
                                  ? kernels::sobol_unit(kernels::sobol_word(kernels::sobol_directions.word[c],
                                                                            static_cast<std::uint32_t>(i)))
                                  : inside(best[c] + near_best * normal(candidates_near_best, Draw::fantasy, i, c));
  return pool;
}

/// Borrows all its arguments.
ScoreRequest dense_request(const Member& member, const double& incumbent, const Field& log_cost) {
  ScoreRequest request;
  request.objective = {&member, 1};
  request.incumbents = {&incumbent, 1};
  request.log_cost = &log_cost;
  request.alpha = alpha;
  return request;
}

}  // namespace

const char* name_of(DataSet data) {
  return data == DataSet::spread ? "spread" : data == DataSet::late ? "late" : "noisy";
}

Problem::Problem(DataSet data_set, std::size_t n, std::size_t m) : data(data_set) {
  objective_gp.inverse_lengthscales = {1 / 0.5, 1 / 0.5, 1 / 0.7, 1 / 0.4, 1 / 0.5, 1 / 0.5};
  objective_gp.noise_variance = data == DataSet::noisy ? 0.1 : 1e-4;
  log_cost_gp = objective_gp;
  log_cost_gp.noise_variance = 1e-4;
  const std::vector<double> drawn = draw_points(data, n);
  const MatrixView drawn_rows{drawn.data(), n, columns};
  const std::vector<double> values = standardised_objective(drawn_rows, objective_gp.noise_variance);
  for (const std::size_t i : spread_and_best_order(drawn_rows, values)) {
    const std::span<const double> row = drawn_rows.row(i);
    points.insert(points.end(), row.begin(), row.end());
    objective.push_back(values[i]);
    log_costs.push_back(log_cost_at(row));
  }
  const auto best = std::min_element(objective.begin(), objective.end()) - objective.begin();
  pool = draw_pool(point_rows().row(static_cast<std::size_t>(best)), m);
}

double Problem::lowest_observed() const { return *std::min_element(objective.begin(), objective.end()); }

std::string Problem::label() const {
  std::string name = name_of(data);
  name.resize(6, ' ');
  return name + " n=" + std::to_string(rows()) + " m=" + std::to_string(candidates());
}

std::vector<double> fantasy_normals(std::size_t first, std::size_t last) {
  std::vector<double> normals;
  for (std::size_t pick = first; pick < last; ++pick)
    for (std::uint32_t i = 0; i < fantasies; ++i) normals.push_back(normal(fantasised, Draw::fantasy, pick, i));
  return normals;
}

Scene::Scene(const Problem& problem) : problem_(problem), backend_(make_backend({})) {
  const MatrixView points = problem.point_rows();
  objective_ = std::move(backend_->factor(points, problem.objective, {&problem.objective_gp, 1}).front());
  log_cost_ = std::move(backend_->factor(points, problem.log_costs, {&problem.log_cost_gp, 1}).front());
  renew_candidates();
}

void Scene::renew_candidates() {
  candidates_.reset();
  candidates_ = backend_->make_candidates(problem_.pool_rows());
}

std::unique_ptr<Field> Scene::log_cost_field() const { return backend_->sweep(*log_cost_, *candidates_, false); }

Picks Scene::one_pick() const {
  const auto log_cost = log_cost_field();
  GpFactor* const factor = objective_.get();
  SearchSetup setup;
  setup.factors = {&factor, 1};
  setup.log_cost = log_cost.get();
  const auto search = backend_->make_search(*candidates_, setup);
  const double incumbent = problem_.lowest_observed();
  SearchRequest request;
  request.incumbents = {&incumbent, 1};
  request.alpha = alpha;
  const std::vector<Scored> best = search->top(request, 2);  // the runner-up stands in every receipt
  return {{best.front()}, search->work()};
}

Picks Scene::batch(std::size_t count) {
  const auto log_cost = log_cost_field();
  GpFactor* const factor = objective_.get();
  SearchSetup setup;
  setup.factors = {&factor, 1};
  setup.fantasies = fantasies;
  setup.log_cost = log_cost.get();
  const auto search = backend_->make_search(*candidates_, setup);
  Picks picks;
  std::vector<double> incumbents = {problem_.lowest_observed()};
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<double> ahead =
        fantasy_normals(k, std::max(k, std::min(count - 1, k + internal::most_picks_ahead)));
    SearchRequest request;
    request.incumbents = incumbents;
    request.alpha = alpha;
    request.normals_ahead = ahead;
    picks.picked.push_back(search->top(request, 2).front());
    const std::size_t index = picks.picked.back().index;
    candidates_->exclude(index);
    if (k + 1 == count) break;
    const std::vector<double> values = search->fantasise(problem_.pool_rows().row(index), fantasy_normals(k, k + 1));
    incumbents.resize(fantasies, problem_.lowest_observed());
    for (std::size_t i = 0; i < fantasies; ++i) incumbents[i] = std::min(incumbents[i], values[i]);
  }
  picks.work = search->work();
  objective_->drop_fantasies();
  return picks;
}

Scored Scene::dense_pick() const {
  const auto log_cost = log_cost_field();
  const auto objective = backend_->sweep(*objective_, *candidates_, true);
  const Member member{objective_.get(), objective.get()};
  const double incumbent = problem_.lowest_observed();
  const Pick pick = backend_->best(*candidates_, dense_request(member, incumbent, *log_cost));
  return {pick.index, pick.score};
}

std::vector<double> Scene::dense_scores(Field& objective, const Field& log_cost) const {
  const Member member{objective_.get(), &objective};
  const double incumbent = problem_.lowest_observed();
  std::vector<double> scores(candidates_->size());
  backend_->scores(*candidates_, dense_request(member, incumbent, log_cost), scores);
  return scores;
}

}  // namespace carbo::bench
