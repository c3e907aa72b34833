#include "acquisition/fantasy_ensemble.hpp"

#include <algorithm>

#include "gp/fit.hpp"
#include "support/random.hpp"

namespace carbo::internal {
FantasyEnsemble::FantasyEnsemble(Backend& backend, Surrogate& objective, const Options& options,
                                 double lowest_observed)
    : backend_(backend), options_(options) {
  if (options.fantasies.mode == FantasyMode::shared) {
    factors_.push_back(&objective.factor());
  } else {
    draw_members(objective);
  }
  incumbents_.assign(factors_.size(), lowest_observed);
}

FantasyEnsemble::~FantasyEnsemble() {
  for (GpFactor* factor : factors_) factor->drop_fantasies();
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
    parameters.push_back(expand(backend_, draw, objective.rows(), problem.column_groups));
  }
  const TrainingData ordered = objective.rows_in_factor_order();
  own_factors_ = backend_.factor(ordered.view(), ordered.targets, parameters, ordered.counts);
  for (const auto& factor : own_factors_) factors_.push_back(factor.get());
}

void FantasyEnsemble::begin(const CandidateSet& candidates, const Field& log_cost,
                            const std::optional<CostPosterior>& posterior) {
  SearchSetup setup;
  setup.factors = factors_;
  setup.fantasies = options_.fantasies.count;
  setup.log_cost = &log_cost;
  setup.weight = options_.cost.weight;
  if (posterior && options_.cost.weight != CostWeight::median) {
    setup.log_cost_factor = posterior->factor;
    setup.log_cost_units = posterior->units;
  }
  search_.reset();
  search_ = backend_.make_search(candidates, setup);
}

std::vector<double> FantasyEnsemble::normals(std::uint64_t id) const {
  std::vector<double> normals(options_.fantasies.count);
  for (std::size_t i = 0; i < normals.size(); ++i) {
    normals[i] = normal(options_.seed, Draw::fantasy, id, static_cast<std::uint32_t>(i));
  }
  return normals;
}

void FantasyEnsemble::fantasise(std::span<const double> encoded, std::uint64_t id) {
  const std::vector<double> values =
      search_             ? search_->fantasise(encoded, normals(id))
      : dense_candidates_ ? backend_.fantasise(dense_members_, *dense_candidates_, encoded, normals(id))
                          : on_factors(encoded, id);
  if (incumbents_.size() < values.size()) incumbents_.assign(values.size(), incumbents_.front());
  for (std::size_t i = 0; i < values.size(); ++i) incumbents_[i] = std::min(incumbents_[i], values[i]);
}

std::vector<double> FantasyEnsemble::on_factors(std::span<const double> encoded, std::uint64_t id) {
  const std::vector<double> all = normals(id);
  const std::size_t a_factor = all.size() / factors_.size();
  std::vector<double> values;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const std::vector<double> own =
        factors_[i]->fantasise(encoded, std::span<const double>(all).subspan(i * a_factor, a_factor));
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

std::vector<Scored> FantasyEnsemble::top(const CostTerm& cost, std::size_t count, PicksAhead ahead, double floor) {
  const std::vector<double> incumbents = current_incumbents();
  std::vector<double> normals_ahead;
  for (std::size_t i = 0; i < std::min(ahead.count, most_picks_ahead); ++i) {
    const std::vector<double> next = normals(ahead.next_id + i);
    normals_ahead.insert(normals_ahead.end(), next.begin(), next.end());
  }
  SearchRequest request;
  request.incumbents = incumbents;
  request.alpha = cost.alpha;
  request.log_cost_limit = cost.log_cost_limit;
  request.normals_ahead = normals_ahead;
  request.floor = floor;
  return search_->top(request, count);
}

void FantasyEnsemble::begin_dense(const CandidateSet& candidates) {
  for (GpFactor* const factor : factors_) {
    dense_fields_.push_back(backend_.sweep(*factor, candidates, true));
    dense_members_.push_back({factor, dense_fields_.back().get()});
  }
  dense_candidates_ = &candidates;
}

ScoreRequest FantasyEnsemble::dense_request(const CostTerm& cost, const Field& log_cost) {
  dense_incumbents_ = current_incumbents();
  ScoreRequest request;
  request.objective = dense_members_;
  request.incumbents = dense_incumbents_;
  request.log_cost = &log_cost;
  request.alpha = cost.alpha;
  request.weight = options_.cost.weight;
  request.log_cost_limit = cost.log_cost_limit;
  return request;
}

std::vector<double> FantasyEnsemble::current_incumbents() const {
  if (options_.incumbent == Incumbent::lowest_observed) return incumbents_;
  std::vector<double> lowest;
  for (const GpFactor* factor : factors_) {
    const std::vector<double> fitted = factor->lowest_fitted_mean();
    lowest.insert(lowest.end(), fitted.begin(), fitted.end());
  }
  return lowest;
}

}  // namespace carbo::internal
