#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <carbo/options.hpp>

#include "acquisition/fantasy_ensemble.hpp"
#include "backend/backend.hpp"
#include "bench/support/problem.hpp"

namespace carbo::bench {

/// What a pick maximises: log EI − alpha · log cost.
inline constexpr double alpha = 0.5;
inline constexpr std::size_t default_fantasies = 10;

/// The normals of the points that picks first to last − 1 fantasise, one row of `fantasies` a pick.
std::vector<double> fantasy_normals(std::size_t first, std::size_t last, std::size_t fantasies = default_fantasies);

/// Indices picked, in order, with their scores, and what the search did.
struct Picks {
  std::vector<internal::Scored> picked;
  internal::SearchWork work;
};

struct SceneOptions {
  BackendOptions backend{};
  std::size_t fantasies = default_fantasies;
  bool batched = false;  ///< a factor with hyperparameters of its own for each fantasy
};

/// Both GPs factored and the pool on the backend, ready to be searched. Every call returns when its work is done.
class Scene {
 public:
  explicit Scene(const Problem& problem, const SceneOptions& options = {});

  /// Undoes the exclusions that a batch leaves behind.
  void renew_candidates();
  /// The best candidate, everything computed anew: the log cost's mean, the search's first pass, the pick.
  Picks one_pick(internal::Precision precision = internal::Precision::automatic) const;
  /// As many picks, each fantasised before the next. Picked candidates are excluded.
  Picks batch(std::size_t count, internal::Precision precision = internal::Precision::automatic);
  /// The best candidate by exact scores of all.
  internal::Scored dense_pick() const;

  /// All scores, from the objective's posterior and the log cost's mean.
  std::vector<double> dense_scores(internal::Field& objective, const internal::Field& log_cost) const;

  /// The first of the factors where each fantasy has one.
  internal::GpFactor& objective_factor() const { return *objectives_.front(); }
  const internal::GpFactor& log_cost_factor() const { return *log_cost_; }
  internal::Backend& backend() const { return *backend_; }
  const internal::CandidateSet& candidates() const { return *candidates_; }
  /// Posterior means of the log cost.
  std::unique_ptr<internal::Field> log_cost_field() const;

 private:
  const Problem& problem_;
  SceneOptions options_;
  std::unique_ptr<internal::Backend> backend_;
  std::vector<std::unique_ptr<internal::GpFactor>> objectives_;
  std::unique_ptr<internal::GpFactor> log_cost_;
  std::unique_ptr<internal::CandidateSet> candidates_;
};

}  // namespace carbo::bench
