#include "acquisition/fantasy_ensemble.hpp"

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "gp/fit.hpp"
#include "support/random.hpp"
#include "support/text.hpp"

namespace carbo::internal {

void validate(const FantasyOptions& options) {
  constexpr std::size_t most_fantasies = 65536;
  if (options.count >= 1 && options.count <= most_fantasies) return;
  throw InvalidOptions(text("fantasies.count is ", options.count, "; give 1 to ", most_fantasies));
}

PosteriorFactors posterior_factors(GpBackend& backend, Surrogate& objective, const EnsembleOptions& options) {
  PosteriorFactors factors;
  if (options.fantasies.mode == FantasyMode::shared) {
    factors.all.push_back(&objective.factor());
    return factors;
  }
  const FitProblem problem = objective.problem();
  const std::size_t count = options.fantasies.count;
  const std::vector<Hyperparameters> draws =
      objective.fixed() ? std::vector<Hyperparameters>(count, objective.hyperparameters())
                        : sample_hyperparameters(backend, problem, objective.hyperparameters(), count, options.seed);
  std::vector<GpParameters> parameters;
  for (const Hyperparameters& draw : draws) {
    parameters.push_back(expand(backend, draw, objective.rows(), problem.column_groups));
  }
  const TrainingData ordered = objective.rows_in_factor_order();
  factors.owned = backend.factor(ordered.view(), ordered.targets, parameters, ordered.counts);
  for (const auto& factor : factors.owned) {
    objective.add_background(*factor);
    factors.all.push_back(factor.get());
  }
  return factors;
}

FantasyEnsemble::FantasyEnsemble(PosteriorFactors factors, const EnsembleOptions& options, double lowest_observed,
                                 const std::optional<Extremes>& extremes)
    : factors_(std::move(factors)),
      options_(options),
      incumbents_(std::vector<double>(factors_.all.size(), lowest_observed),
                  options.incumbent == Incumbent::lowest_observed ? std::span<GpFactor* const>{}
                                                                  : std::span<GpFactor* const>(factors_.all)),
      extremes_(extremes) {}

FantasyEnsemble::~FantasyEnsemble() {
  for (GpFactor* factor : factors_.all) factor->drop_fantasies();
}

SearchSetup FantasyEnsemble::setup(const Field* log_cost, const std::optional<CostPosterior>& posterior) const {
  SearchSetup setup;
  setup.factors = factors_.all;
  setup.fantasies = options_.fantasies.count;
  setup.log_cost = log_cost;
  if (posterior && options_.moment != kernels::CostMoment::median) {
    setup.log_cost_factor = posterior->factor;
    setup.log_cost_units = posterior->units;
  }
  return setup;
}

void FantasyEnsemble::begin_dense(PosteriorBackend& backend, const CandidateSet& candidates) {
  dense_.emplace(Dense{backend, candidates, {}, {}, {}});
  for (GpFactor* const factor : factors_.all) {
    dense_->fields.push_back(backend.sweep(*factor, candidates, true));
    dense_->members.push_back({factor, dense_->fields.back().get()});
  }
}

std::vector<double> FantasyEnsemble::normals(std::uint64_t id) const {
  std::vector<double> normals(options_.fantasies.count);
  for (std::size_t i = 0; i < normals.size(); ++i) {
    normals[i] = normal(options_.seed, Draw::fantasy, id, static_cast<std::uint32_t>(i));
  }
  return normals;
}

kernels::AcquisitionSpec FantasyEnsemble::with_extremes(kernels::AcquisitionSpec acquisition) const {
  if (extremes_ && needs_extremes(acquisition.which)) acquisition.extremes = extremes_->data();
  return acquisition;
}

void FantasyEnsemble::fantasise(std::span<const double> encoded, std::uint64_t id) {
  incumbents_.add(dense_ ? dense_->backend.fantasise(dense_->members, dense_->candidates, encoded, normals(id))
                         : search_->fantasise(encoded, normals(id)));
}

void FantasyEnsemble::fantasise_all(MatrixView encoded, std::span<const std::uint64_t> ids) {
  if (dense_) {
    for (std::size_t i = 0; i < ids.size(); ++i) fantasise(encoded.row(i), ids[i]);
    return;
  }
  std::vector<double> all;
  for (const std::uint64_t id : ids) {
    const std::vector<double> own = normals(id);
    all.insert(all.end(), own.begin(), own.end());
  }
  const std::vector<double> values = search_->fantasise_all(encoded, all);
  const std::size_t each = options_.fantasies.count;
  for (std::size_t i = 0; i < ids.size(); ++i) incumbents_.add(std::span(values).subspan(i * each, each));
}

std::vector<Scored> FantasyEnsemble::top(const PickRule& rule, std::size_t count) {
  const std::vector<double> incumbents = incumbents_.now();
  SearchRequest request;
  request.incumbents = incumbents;
  request.acquisition = with_extremes(rule.acquisition);
  request.log_cost_limit = rule.log_cost_limit;
  return search_->top(request, count);
}

BatchEnd FantasyEnsemble::pick(BatchRequest request, std::uint64_t first_id) {
  request.incumbents = &incumbents_;
  request.acquisition = with_extremes(request.acquisition);
  request.normals = [&](std::size_t pick) { return normals(first_id + pick); };
  return search_->pick(request);
}

ScoreRequest FantasyEnsemble::dense_request(const PickRule& rule, const Field& log_cost) {
  dense_->incumbents = incumbents_.now();
  ScoreRequest request;
  request.objective = dense_->members;
  request.incumbents = dense_->incumbents;
  request.log_cost = &log_cost;
  request.acquisition = with_extremes(rule.acquisition);
  request.log_cost_limit = rule.log_cost_limit;
  return request;
}

FantasyEnsemble make_ensemble(Backend& backend, ModelPair& models, const EnsembleOptions& options,
                              Acquisition acquisition, const ExtremeSample& sample) {
  PosteriorFactors factors = posterior_factors(backend, models.objective(), options);
  std::optional<Extremes> extremes;
  if (needs_extremes(acquisition))
    extremes = draw_extremes(backend, factors.all, sample, models.incumbent(), options.seed);
  return {std::move(factors), options, models.incumbent(), extremes};
}

}  // namespace carbo::internal
