#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <carbo/cost.hpp>
#include <carbo/diagnostics.hpp>

#include "gp/surrogate_state.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {

/// What predictions of a LinearTrend are made of; see LinearFit.
struct LinearTrendState {
  std::vector<double> coefficients{};
  double intercept = 0;
  double knee = 0;
  double spread = 0;
  std::vector<double> covariance{};
  Calibration calibration{};
};

/// A ResidualGp beside the costs that it has learned.
struct ResidualGpState {
  std::size_t observations = 0;   ///< costs that it was given last, timeouts included; 0: none ever
  std::vector<double> offsets{};  ///< of each; empty where all are 0
  Standardisation units{};
  std::vector<double> lowest{}, highest{};  ///< limits of the complete costs; `robust` only
  std::vector<double> targets{};            ///< of the GP, complete costs; `robust` only
  bool imputed = false;                     ///< whether timeouts have been learned, too
  SurrogateState surrogate{};
};

/// A model of the cost that learns: all that compete, and which one predicts.
struct CostModelState {
  bool learned = false;
  CostModelKind kind = CostModelKind::log_gp;
  bool chosen = false;  ///< by evidence
  std::size_t observations = 0;
  std::vector<CostModelScore> scores{};
  std::optional<LinearTrendState> trend{};
  std::optional<ResidualGpState> log_gp{};
  std::optional<ResidualGpState> residual_gp{};
};

Tree tree_of(const CostModelState& state);
CostModelState read_cost_model_state(const TreeReader& reader);
Tree tree_of(const CostModelScore& score);
CostModelScore read_cost_model_score(const TreeReader& reader);

}  // namespace carbo::internal
