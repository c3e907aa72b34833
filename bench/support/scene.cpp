#include "bench/support/scene.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "acquisition/pick_batch.hpp"
#include "support/random.hpp"

namespace carbo::bench {

using namespace carbo::internal;

namespace {

constexpr double lengthscale_spread = 0.1;  // standard deviation of a drawn log lengthscale

/// Streams of random numbers.
enum SceneStream : std::uint64_t { fantasised = 5, drawn_lengthscales };

/// Borrows all its arguments.
ScoreRequest dense_request(const Member& member, const double& incumbent, const Field& log_cost) {
  ScoreRequest request;
  request.objective = {&member, 1};
  request.incumbents = {&incumbent, 1};
  request.log_cost = &log_cost;
  request.acquisition.parameter = alpha;
  return request;
}

std::vector<GpParameters> drawn_parameters(const GpParameters& centre, std::size_t count) {
  std::vector<GpParameters> drawn(count, centre);
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint32_t c = 0; c < centre.inverse_lengthscales.size(); ++c)
      drawn[i].inverse_lengthscales[c] *=
          std::exp(lengthscale_spread * normal(drawn_lengthscales, Draw::fantasy, i, c));
  return drawn;
}

}  // namespace

std::vector<double> fantasy_normals(std::size_t first, std::size_t last, std::size_t fantasies) {
  std::vector<double> normals;
  for (std::size_t pick = first; pick < last; ++pick)
    for (std::uint32_t i = 0; i < fantasies; ++i) normals.push_back(normal(fantasised, Draw::fantasy, pick, i));
  return normals;
}

Scene::Scene(const Problem& problem, const SceneOptions& options)
    : problem_(problem), options_(options), backend_(make_backend(options.backend)) {
  const MatrixView points = problem.point_rows();
  const std::vector<GpParameters> objective_gps = options.batched
                                                      ? drawn_parameters(problem.objective_gp, options.fantasies)
                                                      : std::vector<GpParameters>{problem.objective_gp};
  objectives_ = backend_->factor(points, problem.objective, objective_gps);
  log_cost_ = std::move(backend_->factor(points, problem.log_costs, {&problem.log_cost_gp, 1}).front());
  renew_candidates();
}

void Scene::renew_candidates() {
  candidates_.reset();
  candidates_ = backend_->make_candidates(problem_.pool_rows());
}

std::unique_ptr<Field> Scene::log_cost_field() const { return backend_->sweep(*log_cost_, *candidates_, false); }

Picks Scene::one_pick(Precision precision) const {
  const auto log_cost = backend_->sweep_for_search(*log_cost_, *candidates_);
  GpFactor* const factor = objectives_.front().get();
  SearchSetup setup;
  setup.factors = {&factor, 1};
  setup.log_cost = log_cost.get();
  setup.precision = precision;
  const auto search = backend_->make_search(*candidates_, setup);
  const double incumbent = problem_.lowest_observed();
  SearchRequest request;
  request.incumbents = {&incumbent, 1};
  request.acquisition.parameter = alpha;
  const std::vector<Scored> best = search->top(request, 2);  // the runner-up stands in every receipt
  return {{best.front()}, search->work()};
}

Picks Scene::batch(std::size_t count, Precision precision) {
  const auto log_cost = backend_->sweep_for_search(*log_cost_, *candidates_);
  PosteriorFactors factors;
  for (const auto& factor : objectives_) factors.all.push_back(factor.get());
  EnsembleOptions options;
  options.fantasies = {options_.fantasies, options_.batched ? FantasyMode::batched : FantasyMode::shared};
  options.seed = fantasised;
  FantasyEnsemble ensemble(std::move(factors), options, problem_.lowest_observed());
  SearchSetup setup = ensemble.setup(log_cost.get(), std::nullopt);
  setup.precision = precision;
  ensemble.begin(backend_->make_search(*candidates_, setup));
  Picks picks;
  PickProblem problem{ensemble};
  problem.batch.count = count;
  problem.batch.acquisition = {.parameter = alpha};
  problem.batch.take = [&](const PickedRow& picked) {
    candidates_->exclude(picked.best.index);
    picks.picked.push_back(picked.best);
    return problem_.pool_rows().row(picked.best.index);
  };
  BatchEnd end{};
  pick_batches({&problem, 1}, {&end, 1});
  picks.work = ensemble.search().work();
  return picks;
}

Scored Scene::dense_pick() const {
  const auto log_cost = log_cost_field();
  const auto objective = backend_->sweep(objective_factor(), *candidates_, true);
  const Member member{&objective_factor(), objective.get()};
  const double incumbent = problem_.lowest_observed();
  const BestTwo pick = backend_->best(*candidates_, dense_request(member, incumbent, *log_cost));
  return pick[0];
}

std::vector<double> Scene::dense_scores(Field& objective, const Field& log_cost) const {
  const Member member{&objective_factor(), &objective};
  const double incumbent = problem_.lowest_observed();
  std::vector<double> scores(candidates_->size());
  backend_->scores(*candidates_, dense_request(member, incumbent, log_cost), scores);
  return scores;
}

}  // namespace carbo::bench
