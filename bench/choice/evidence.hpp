#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/choice/variants.hpp"
#include "replay/summary.hpp"

namespace carbo::choice {

/// All methods on one problem with one budget and one batch size.
struct Measured {
  replay::Summary summary{};
  std::size_t mean_costs = 0;  ///< the budget

  const std::string& problem() const { return summary.cell.problem->name; }
  /// Throws std::invalid_argument naming problem and method where the method was not run.
  const replay::MethodSummary& of(const std::string& method) const;
};

/// Savings in one cell.
struct CellSavings {
  double share = 0;                 ///< on medians over all seeds
  std::vector<double> resampled{};  ///< on those of resamples of the seeds, the same for all that is compared
};

/// Savings of one variant in every cell.
struct VariantEvidence {
  std::string name{};
  std::string title{};
  /// In the order of Evidence::cells, then in that of Evidence::against.
  std::vector<std::vector<CellSavings>> cells{};
};

/// What speaks for each variant against some rivals, with one batch size.
struct Evidence {
  Rivals rivals{};
  std::vector<const Measured*> cells{};
  std::vector<VariantEvidence> variants{};

  /// Titles of what variants are measured against: the rivals and, where there are several, the one of them whose
  /// median ends lowest in the cell.
  std::vector<std::string> against() const;
  /// Throws std::invalid_argument where the variant was not compared.
  const VariantEvidence& of(const std::string& variant) const;
  /// Names of the problems, each once, in the order of the cells; and budgets from the smallest.
  std::vector<std::string> problems() const;
  std::vector<std::size_t> budgets() const;
};

/// Compares every variant with the rivals in the cells with this batch size, in `threads` threads (0: one a core).
/// Throws std::invalid_argument where there is no such cell or a method was not run in one. The cells outlive it.
Evidence gather(const std::vector<Measured>& cells, std::size_t batch, const Rivals& rivals,
                const std::vector<Variant>& variants, std::size_t threads);

/// `against` is a place in Evidence::against. Mean over the cells with this budget, or over all, and its range:
/// problems are drawn with all their budgets.
replay::NetSavings net_savings(const Evidence& evidence, const VariantEvidence& variant, std::size_t against,
                               std::optional<std::size_t> budget = std::nullopt);

/// Mean over the budgets of one problem.
double problem_savings(const Evidence& evidence, const VariantEvidence& variant, std::size_t against,
                       const std::string& problem);

}  // namespace carbo::choice
