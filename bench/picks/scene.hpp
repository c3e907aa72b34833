#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "acquisition/fantasy_ensemble.hpp"
#include "backend/backend.hpp"

namespace carbo::bench {

/// Where the observations lie.
enum class DataSet {
  spread,  ///< uniform
  late,    ///< half uniform, half round the minimum, as late in a run
  noisy,   ///< as `late`, with noise of a tenth of the objective's variance
};

inline constexpr DataSet data_sets[] = {DataSet::spread, DataSet::late, DataSet::noisy};
const char* name_of(DataSet data);

/// The problem that all jobs pick from: Hartmann-6, standardised, and a log cost linear in the parameters, both seen
/// at n points; a pool of m candidates, 70 % Sobol and 30 % round the best observed. Everything is a function of
/// (data, n, m), hyperparameters are fixed.
struct Problem {
  static constexpr std::size_t columns = 6;

  Problem(DataSet data, std::size_t n, std::size_t m);

  internal::MatrixView point_rows() const { return {points.data(), objective.size(), columns}; }
  internal::MatrixView pool_rows() const { return {pool.data(), pool.size() / columns, columns}; }
  std::size_t rows() const { return objective.size(); }
  std::size_t candidates() const { return pool.size() / columns; }
  double lowest_observed() const;
  std::string label() const;

  DataSet data;
  std::vector<double> points;  ///< n × columns, in the order in which a factor takes them
  std::vector<double> objective;
  std::vector<double> log_costs;
  std::vector<double> pool;  ///< m × columns
  internal::GpParameters objective_gp;
  internal::GpParameters log_cost_gp;
};

/// What a pick maximises: log EI − alpha · log cost.
inline constexpr double alpha = 0.5;
inline constexpr std::size_t fantasies = 10;

/// The normals of the points that picks first to last − 1 fantasise, one row of `fantasies` a pick.
std::vector<double> fantasy_normals(std::size_t first, std::size_t last);

/// Indices picked, in order, with their scores, and what the search did.
struct Picks {
  std::vector<internal::Scored> picked;
  internal::SearchWork work;
};

/// Both GPs factored and the pool on the backend, ready to be searched.
class Scene {
 public:
  explicit Scene(const Problem& problem);

  /// Undoes the exclusions that a batch leaves behind.
  void renew_candidates();
  /// The best candidate, everything computed anew: the log cost's mean, the search's first pass, the pick.
  Picks one_pick() const;
  /// As many picks, each fantasised before the next. Picked candidates are excluded.
  Picks batch(std::size_t count);
  /// The best candidate by exact scores of all.
  internal::Scored dense_pick() const;

  /// All scores, from both posteriors.
  std::vector<double> dense_scores(internal::Field& objective, const internal::Field& log_cost) const;

  const internal::GpFactor& objective_factor() const { return *objective_; }
  const internal::GpFactor& log_cost_factor() const { return *log_cost_; }
  internal::Backend& backend() const { return *backend_; }
  const internal::CandidateSet& candidates() const { return *candidates_; }
  /// Posterior means of the log cost.
  std::unique_ptr<internal::Field> log_cost_field() const;

 private:
  const Problem& problem_;
  std::unique_ptr<internal::Backend> backend_;
  std::unique_ptr<internal::GpFactor> objective_;
  std::unique_ptr<internal::GpFactor> log_cost_;
  std::unique_ptr<internal::CandidateSet> candidates_;
};

}  // namespace carbo::bench
