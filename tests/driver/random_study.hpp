#pragma once

#include <carbo/carbo.hpp>

#include "driver/dice.hpp"

namespace carbo::test {

/// Which values the driver tells. Each switch adds some to what every study meets; the invariants stay the same.
struct Extremes {
  /// Costs and objectives at the ends of double precision: 5e-324, 1e-160, 1e160, 1e308.
  bool values = false;
  /// Budgets of bytes in which candidates are streamed.
  bool tight_memory = false;
  /// Every number of a receipt is finite.
  bool finite_receipts = false;
};

/// 1 to 4 parameters of all kinds, sometimes with a constraint that leaves more than half of the space.
Space random_space(Dice& dice);
/// Settings that fit the space and each other. Costs are evaluated on one thread, on the CPU.
Options random_options(Dice& dice, const Space& space, const Extremes& extremes);

/// What the state of such a study does not hold: its constraint and its functions.
RestoreOptions given_again(const Space& space, const Options& options);

/// A result that may be told: ordinary, repeated or far out.
Evaluation random_evaluation(Dice& dice, const Options& options, const Extremes& extremes);
/// One that may not: not finite, a cost that is not above 0, nothing that has a logarithm.
Evaluation refused_evaluation(Dice& dice, const Options& options);

/// Whether the numbers are a configuration of the space that its constraint allows; looks at nothing but the
/// parameters.
bool belongs(const Space& space, std::span<const double> numbers);

}  // namespace carbo::test
