#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/options.hpp>

#include "gp/transform.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {

/// A factor as it came about: rows that were factored together, and rows that were appended, which is not the same to
/// the bit. It is made anew in the same two steps.
struct FactorState {
  std::vector<std::size_t> order;  ///< of the rows that were factored together: row that each of the factor's is
  std::size_t rows = 0;            ///< these and the appended ones
  /// In the order of the rows, where they are not those of the data: an update since then has failed.
  std::vector<double> counts{};
  std::vector<double> targets{};  ///< the same, in the order of the factor's rows
};

/// What a Surrogate is beside its data. See there.
struct SurrogateState {
  std::size_t observations = 0;  ///< that it was given last; 0: it was never given any
  Hyperparameters hyperparameters{};
  std::size_t rows_at_fit = 0;
  std::size_t rows_at_full_fit = 0;
  std::size_t most_points = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> chosen_rows{};  ///< ascending; empty where all are learned from
  std::size_t chosen_of = 0;
  std::size_t chosen = 0;
  std::size_t sampled = 0;  ///< rows that hyperparameters are fitted to by lot; 0: all
  std::vector<double> background_weights{};
  std::optional<Calibration> calibration{};
  std::optional<FactorState> factor{};
};

Tree tree_of(const SurrogateState& state);
SurrogateState read_surrogate_state(const TreeReader& reader);

Tree tree_of(const Hyperparameters& hyperparameters);
Hyperparameters read_hyperparameters(const TreeReader& reader);
Tree tree_of(const Calibration& calibration);
Calibration read_calibration(const TreeReader& reader);
Tree tree_of(const Standardisation& units);
/// Throws InvalidState where the scale is not above 0 or a number is not finite.
Standardisation read_standardisation(const TreeReader& reader);

}  // namespace carbo::internal
