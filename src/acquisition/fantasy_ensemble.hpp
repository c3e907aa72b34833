#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "gp/surrogate.hpp"

namespace carbo::internal {

/// How cost enters one pick.
struct CostTerm {
  const Field* log_cost = nullptr;
  double alpha = 0;
  CostWeight weight = CostWeight::median;
  double log_cost_limit = std::numeric_limits<double>::infinity();
};

/// The objective's posterior over Ω̃, conditioned on fantasised results of points that are still running.
/// The surrogate's own factor is borrowed in `shared` mode and is free of fantasies again once this is gone.
class FantasyEnsemble {
 public:
  FantasyEnsemble(Backend& backend, const CandidateSet& candidates, Surrogate& objective, const Options& options,
                  double lowest_observed);
  ~FantasyEnsemble();
  FantasyEnsemble(const FantasyEnsemble&) = delete;
  FantasyEnsemble& operator=(const FantasyEnsemble&) = delete;

  /// Conditions on a point whose result is not known. The normals are a function of the seed and of `id`
  /// alone, so a point keeps its fantasies for as long as it runs.
  void fantasise(std::span<const double> encoded, std::uint64_t id);
  Pick best(const CostTerm& cost);

 private:
  void share(Surrogate& objective);
  void draw_members(Surrogate& objective);
  std::vector<double> current_incumbents() const;

  Backend& backend_;
  const CandidateSet& candidates_;
  const Options& options_;
  std::vector<std::unique_ptr<GpFactor>> own_factors_;  ///< `batched` only
  std::vector<std::unique_ptr<Field>> fields_;
  std::vector<Member> members_;
  std::vector<double> incumbents_;  ///< lowest observed or fantasised value a fantasy
};

}  // namespace carbo::internal
