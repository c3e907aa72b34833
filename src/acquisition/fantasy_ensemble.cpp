#include "acquisition/fantasy_ensemble.hpp"

#include <algorithm>

#include "gp/fit.hpp"
#include "support/random.hpp"

namespace carbo::internal {

FantasyEnsemble::FantasyEnsemble(Backend& backend, const CandidateSet& candidates, Surrogate& objective,
                                 const Options& options, double lowest_observed)
    : backend_(backend), candidates_(candidates), options_(options) {
  if (options.fantasies.mode == FantasyMode::shared) {
    share(objective);
  } else {
    draw_members(objective);
  }
  incumbents_.assign(members_.size(), lowest_observed);
}

FantasyEnsemble::~FantasyEnsemble() {
  for (const Member& member : members_) member.factor->drop_fantasies();
}

void FantasyEnsemble::share(Surrogate& objective) {
  fields_.push_back(backend_.sweep(objective.factor(), candidates_, true));
  members_.push_back({&objective.factor(), fields_.back().get()});
}

void FantasyEnsemble::draw_members(Surrogate& objective) {
  const FitProblem problem = objective.problem();
  const std::size_t count = options_.fantasies.count;
  const std::vector<Hyperparameters> draws =
      options_.surrogate.fixed
          ? std::vector<Hyperparameters>(count, objective.hyperparameters())
          : sample_hyperparameters(backend_, problem, objective.hyperparameters(), count, options_.seed);
  std::vector<GpParameters> parameters;
  for (const Hyperparameters& draw : draws) {
    parameters.push_back(expand(backend_, draw, objective.data(), problem.column_groups));
  }
  own_factors_ = backend_.factor(objective.data().view(), objective.data().targets, parameters);
  for (const auto& factor : own_factors_) {
    fields_.push_back(backend_.sweep(*factor, candidates_, true));
    members_.push_back({factor.get(), fields_.back().get()});
  }
}

void FantasyEnsemble::fantasise(std::span<const double> encoded, std::uint64_t id) {
  const std::size_t count = options_.fantasies.count;
  std::vector<double> normals(count);
  for (std::size_t i = 0; i < count; ++i) {
    normals[i] = normal(options_.seed, Draw::fantasy, id, static_cast<std::uint32_t>(i));
  }
  const std::vector<double> values = backend_.fantasise(members_, candidates_, encoded, normals);
  if (incumbents_.size() < count) incumbents_.assign(count, incumbents_.front());
  for (std::size_t i = 0; i < count; ++i) incumbents_[i] = std::min(incumbents_[i], values[i]);
}

Pick FantasyEnsemble::best(const CostTerm& cost) {
  const std::vector<double> incumbents = current_incumbents();
  ScoreRequest request;
  request.objective = members_;
  request.incumbents = incumbents;
  request.log_cost = cost.log_cost;
  request.alpha = cost.alpha;
  request.weight = cost.weight;
  request.log_cost_limit = cost.log_cost_limit;
  return backend_.best(candidates_, request);
}

std::vector<double> FantasyEnsemble::current_incumbents() const {
  if (options_.incumbent == Incumbent::lowest_observed) return incumbents_;
  std::vector<double> lowest;
  for (const Member& member : members_) {
    const std::vector<double> fitted = member.factor->lowest_fitted_mean();
    lowest.insert(lowest.end(), fitted.begin(), fitted.end());
  }
  return lowest;
}

}  // namespace carbo::internal
