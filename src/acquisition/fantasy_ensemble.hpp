#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/options.hpp>

#include "acquisition/choose.hpp"
#include "acquisition/extremes.hpp"
#include "backend/gp_backend.hpp"
#include "backend/posterior_backend.hpp"
#include "backend/score_backend.hpp"
#include "backend/search_backend.hpp"
#include "cost/cost_model.hpp"
#include "gp/surrogate.hpp"
#include "models/model_pair.hpp"

namespace carbo::internal {

/// What one pick maximises, and over which candidates.
struct PickRule {
  kernels::AcquisitionSpec acquisition{};
  double log_cost_limit = std::numeric_limits<double>::infinity();
};

/// Factors of the objective's posterior: one (`shared`), or one a fantasy with hyperparameters of its own
/// (`batched`).
struct PosteriorFactors {
  std::vector<std::unique_ptr<GpFactor>> owned;  ///< `batched` only
  std::vector<GpFactor*> all;
};

/// Throws InvalidOptions naming the field, its value and its range.
void validate(const FantasyOptions& options);

struct EnsembleOptions {
  FantasyOptions fantasies{};
  std::uint64_t seed = 0;
  Incumbent incumbent = Incumbent::lowest_observed;
  kernels::CostMoment moment = kernels::CostMoment::median;
};

/// Of the options of an Optimizer or of a Selector.
template <class Options>
EnsembleOptions ensemble_options(const Options& options) {
  return {options.fantasies, options.seed, options.incumbent, moment_of(options.cost.weight)};
}

/// The surrogate's own factor is borrowed in `shared` mode. Hyperparameters that the caller gave are those of every
/// fantasy.
PosteriorFactors posterior_factors(GpBackend& backend, Surrogate& objective, const EnsembleOptions& options);

/// The objective's posterior, conditioned on fantasised results of points that are still running, and a search under
/// it. Factors are free of fantasies again once this is gone.
class FantasyEnsemble {
 public:
  /// `extremes`: samples of the minimum; absent where no acquisition that looks at them will be asked for.
  FantasyEnsemble(PosteriorFactors factors, const EnsembleOptions& options, double lowest_observed,
                  const std::optional<Extremes>& extremes = std::nullopt);
  ~FantasyEnsemble();
  FantasyEnsemble(const FantasyEnsemble&) = delete;
  FantasyEnsemble& operator=(const FantasyEnsemble&) = delete;

  /// What a search under this posterior looks for. `posterior`: of the log cost, where its variance counts.
  SearchSetup setup(const Field* log_cost, const std::optional<CostPosterior>& posterior) const;
  /// Takes up a search that was made by `setup`.
  void begin(std::unique_ptr<Search> search) { search_ = std::move(search); }
  const Search& search() const { return *search_; }
  /// Takes up a candidate set for the dense pass instead: the posterior of every candidate, with its variance. Before
  /// the first `fantasise`.
  void begin_dense(PosteriorBackend& backend, const CandidateSet& candidates);

  /// Conditions on a point whose result is not known. The normals are a function of the seed and of `id`
  /// alone, so a point keeps its fantasies for as long as it runs.
  void fantasise(std::span<const double> encoded, std::uint64_t id);
  /// The same for several points, one after the other.
  void fantasise_all(MatrixView encoded, std::span<const std::uint64_t> ids);
  /// The best candidates of the search, best first.
  std::vector<Scored> top(const PickRule& rule, std::size_t count);
  /// A batch of the search, whose points have ids from `first_id` on.
  BatchEnd pick(BatchRequest request, std::uint64_t first_id);
  /// What Backend::scores takes, valid until the next call. `log_cost` with its variance where the cost's
  /// moment needs it.
  ScoreRequest dense_request(const PickRule& rule, const Field& log_cost);

 private:
  /// Fields that every fantasy advances.
  struct Dense {
    PosteriorBackend& backend;
    const CandidateSet& candidates;
    std::vector<std::unique_ptr<Field>> fields;
    std::vector<Member> members;
    std::vector<double> incumbents;
  };

  std::vector<double> normals(std::uint64_t id) const;
  kernels::AcquisitionSpec with_extremes(kernels::AcquisitionSpec acquisition) const;

  PosteriorFactors factors_;
  EnsembleOptions options_;
  std::unique_ptr<Search> search_;
  std::optional<Dense> dense_;
  Incumbents incumbents_;
  std::optional<Extremes> extremes_;
};

/// Of models that are ready. `acquisition`: that will be asked for, with what its samples of the minimum come from,
/// where it needs them. They are drawn once, before anything is fantasised: what runs changes what is known of the
/// minimum less than it costs to draw again, and its fantasies bound the samples (see kernels::MesCool).
FantasyEnsemble make_ensemble(Backend& backend, ModelPair& models, const EnsembleOptions& options,
                              Acquisition acquisition, const ExtremeSample& sample);

}  // namespace carbo::internal
