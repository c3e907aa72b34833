#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "gp/surrogate.hpp"

namespace carbo::internal {

/// How cost enters one pick.
struct CostTerm {
  double alpha = 0;
  double log_cost_limit = std::numeric_limits<double>::infinity();
};

/// Bounds are taken so many picks ahead: further, they loosen more than a pass of bounds costs.
inline constexpr std::size_t most_picks_ahead = 4;

/// The picks that are still to come in a batch: their ids follow `next_id`, so their fantasies are known already.
struct PicksAhead {
  std::uint64_t next_id = 0;
  std::size_t count = 0;
};

/// The objective's posterior, conditioned on fantasised results of points that are still running, and searches of
/// candidate sets under it. The surrogate's own factor is borrowed in `shared` mode and is free of fantasies again
/// once this is gone.
class FantasyEnsemble {
 public:
  FantasyEnsemble(Backend& backend, Surrogate& objective, const Options& options, double lowest_observed);
  ~FantasyEnsemble();
  FantasyEnsemble(const FantasyEnsemble&) = delete;
  FantasyEnsemble& operator=(const FantasyEnsemble&) = delete;

  /// Takes up a candidate set with its log cost, both borrowed until the next call. `posterior`: of the log cost,
  /// where its variance counts.
  void begin(const CandidateSet& candidates, const Field& log_cost, const std::optional<CostPosterior>& posterior);
  /// Conditions on a point whose result is not known. The normals are a function of the seed and of `id`
  /// alone, so a point keeps its fantasies for as long as it runs.
  void fantasise(std::span<const double> encoded, std::uint64_t id);
  /// The best candidates that score at least `floor`, best first.
  std::vector<Scored> top(const CostTerm& cost, std::size_t count, PicksAhead ahead,
                          double floor = -std::numeric_limits<double>::infinity());
  /// Takes up a candidate set for the dense pass instead: the posterior of every candidate, with its variance. Before
  /// the first `fantasise`.
  void begin_dense(const CandidateSet& candidates);
  /// What Backend::scores takes, valid until the next call. `log_cost` with its variance where the cost's weight
  /// needs it.
  ScoreRequest dense_request(const CostTerm& cost, const Field& log_cost);
  /// Ends the search that `begin` began, whose set may then go.
  void end() { search_.reset(); }
  /// Since the last `begin`.
  SearchWork work() const { return search_->work(); }

 private:
  void draw_members(Surrogate& objective);
  std::vector<double> normals(std::uint64_t id) const;
  std::vector<double> on_factors(std::span<const double> encoded, std::uint64_t id);
  std::vector<double> current_incumbents() const;

  Backend& backend_;
  const Options& options_;
  std::vector<std::unique_ptr<GpFactor>> own_factors_;  ///< `batched` only
  std::vector<GpFactor*> factors_;
  std::unique_ptr<Search> search_;
  const CandidateSet* dense_candidates_ = nullptr;  ///< null unless dense
  std::vector<std::unique_ptr<Field>> dense_fields_;
  std::vector<Member> dense_members_;
  std::vector<double> dense_incumbents_;
  std::vector<double> incumbents_;  ///< lowest observed or fantasised value a fantasy
};

}  // namespace carbo::internal
