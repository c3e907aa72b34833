#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "acquisition/proof.hpp"
#include "backend/cpu/candidates.hpp"
#include "backend/cpu/factor.hpp"
#include "backend/cpu/field.hpp"
#include "backend/cpu/panel.hpp"
#include "backend/cpu/scratch.hpp"

namespace carbo::internal {

/// At most panel_width candidates, brought together from anywhere.
using Gathered = std::span<const std::uint32_t>;

/// Posterior of one GP over all candidates, finished only where asked: means are exact, variances are upper bounds
/// from the first rows of forward substitution until all rows are solved, and fantasised points are applied late.
/// Calls on disjoint sets of candidates may run at the same time.
class LazyField {
 public:
  /// Rows that the first pass solves for everyone.
  static constexpr std::size_t first_rows = 64;

  /// `scale`: of the posterior's standard deviation, as in Affine.
  LazyField(const CpuFactor& factor, const CpuCandidates& candidates, double scale = 1.0);

  const CpuFactor& factor() const { return factor_; }
  CpuField& field() { return field_; }
  const CpuField& field() const { return field_; }
  std::size_t all_rows() const { return factor_.observed(); }
  /// Rows that a candidate's variance is made of.
  std::size_t solved_rows(std::size_t candidate) const { return solved_rows_[candidate]; }
  bool finished(std::size_t candidate) const { return solved_rows_[candidate] == all_rows(); }

  /// Means and the variance from `rows` rows for one panel of the set. `rows` as in solve_lower_panel.
  void sweep_panel(ScratchPool& scratch, std::size_t panel, std::span<const double> weights, std::size_t rows);
  /// One mean a fantasy from now on.
  void spread(std::size_t fantasies) { field_.spread(fantasies); }
  /// Follows the factor, which has a new fantasised row.
  void follow_factor();
  /// Applies fantasised points [version of each, all); `versions` is indexed by candidate.
  void refresh(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions);
  /// See kernels::bounding_deviation; of a candidate that has seen `version` fantasised points, up to point `end`.
  double bounding_deviation(double variance, std::size_t version, std::size_t end) const {
    return kernels::bounding_deviation(variance, factor_.parameters().signal_variance,
                                       static_cast<double>(all_rows() + end), static_cast<double>(end - version),
                                       assumed_error_);
  }
  /// Whether every response so far errs by no more than the bound counts with.
  bool errors_as_assumed() const { return largest_error_ <= assumed_error_; }
  /// Makes it so for what is known, with room for points to come.
  void assume_errors();
  /// Variances from `rows` rows.
  void solve(ScratchPool& scratch, Gathered gathered, std::size_t rows);

 private:
  PointColumns gather(Gathered gathered, std::size_t lanes, double* storage) const;

  const CpuFactor& factor_;
  const CpuCandidates& candidates_;
  double squared_scale_;
  CpuField field_;
  std::vector<std::uint32_t> solved_rows_;
  double largest_error_ = 0;  ///< of the responses to all fantasised points
  double assumed_error_ = 0;
};

}  // namespace carbo::internal
