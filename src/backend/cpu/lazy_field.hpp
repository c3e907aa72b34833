#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "acquisition/proof.hpp"
#include "backend/cpu/candidates.hpp"
#include "backend/cpu/factor.hpp"
#include "backend/cpu/field.hpp"
#include "backend/cpu/float_responses.hpp"
#include "backend/cpu/float_screen.hpp"
#include "backend/cpu/panel.hpp"
#include "backend/cpu/response_bounds.hpp"
#include "backend/cpu/scratch.hpp"
#include "backend/search_backend.hpp"

namespace carbo::internal {

/// At most panel_width candidates, brought together from anywhere.
using Gathered = std::span<const std::uint32_t>;

/// All candidates of a panel, its padding included.
class WholePanel {
 public:
  explicit WholePanel(std::size_t panel) {
    std::iota(candidates_, candidates_ + panel_width, static_cast<std::uint32_t>(panel * panel_width));
  }
  Gathered gathered() const { return candidates_; }

 private:
  std::uint32_t candidates_[panel_width];
};

/// Posterior of one GP over all candidates, finished only where asked: until then means may be lower bounds by
/// float32, variances are upper bounds from the first rows of forward substitution, and fantasised points are applied
/// late. Scores fall with the mean and rise with the variance, so that ceilings may take both as they are. Rounding
/// is monotone: what begins below the exact mean stays there while both are brought up to date by the same responses,
/// and the lower ends of responses in float32 keep it there.
/// Calls on disjoint sets of candidates may run at the same time.
class LazyField {
 public:
  /// Rows that the first pass solves for everyone.
  static constexpr std::size_t first_rows = 32;
  /// Rows whose terms of a mean are never in float32: the best are among them, and have large weights.
  static constexpr std::size_t precise_rows = 64;

  /// `offset`: as in DeferredMeans; must outlive the field.
  LazyField(const CpuFactor& factor, const CpuCandidates& candidates, bool with_variance = true,
            const Affine& units = {}, std::span<const double> offset = {});

  const CpuFactor& factor() const { return factor_; }
  CpuField& field() { return field_; }
  const CpuField& field() const { return field_; }
  /// Rows of a finished variance; none where there is no variance.
  std::size_t all_rows() const { return field_.has_variance() ? factor_.observed() : 0; }
  /// Rows that a candidate's variance is made of.
  std::size_t solved_rows(std::size_t candidate) const { return solved_rows_[candidate]; }
  bool finished(std::size_t candidate) const { return has_rows(candidate, all_rows()); }
  /// Whether a call of `solve` with so many rows would change nothing.
  bool has_rows(std::size_t candidate, std::size_t rows) const {
    return solved_rows_[candidate] >= rows && (rows < all_rows() || exact_[candidate] != 0);
  }

  /// Before the first pass: whether it bounds means in float32.
  void begin(Precision precision, double margin_share);
  bool screens() const { return screen_.has_value(); }
  /// What float32's margins come to for a few candidates: their median, in deviations that `rows` rows of forward
  /// substitution leave, or as it is where these are none. After `begin`.
  double typical_margin(ScratchPool& scratch, Gathered sample, std::size_t rows) const;
  /// Means, and the variance from `rows` rows, for one panel of the set. `rows` as in solve_lower_panel; exact means
  /// where these are all.
  void sweep_panel(ScratchPool& scratch, std::size_t panel, std::size_t rows);
  /// Takes means that somebody else has computed.
  void take_means(const CpuField& means);
  /// One mean a fantasy from now on.
  void spread(std::size_t fantasies) {
    field_.spread(fantasies);
    if (ResponseBounds::squares_help(factor_)) response_bounds_.resize(solved_rows_.size());
  }
  /// Follows the factor, which has a new fantasised row.
  void follow_factor();
  /// Looks at what the newest responses in float32 may err by for a few candidates that are finished: from now on
  /// bounds follow in float32 where that is little.
  void weigh_responses(ScratchPool& scratch, Gathered finished);
  /// Whether `lower` may bring a candidate up to date which has seen so many points.
  bool lowers(std::size_t candidate, std::uint32_t version) const {
    return float_responses_ && exact_[candidate] == 0 && version >= lowers_from_ &&
           factor_.fantasised() - version <= FloatResponses::most_points;
  }
  /// As `refresh`, for bounds alone, by responses in float32.
  void lower(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions);
  /// Applies fantasised points [version of each, all); `versions` is indexed by candidate.
  void refresh(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions);
  /// Whether noise is large enough for what follows to say something.
  bool bounds_responses() const { return !response_bounds_.empty(); }
  /// Bounds the responses to fantasised points [version of each, all), at a covariance each.
  void bound_responses(ScratchPool& scratch, Gathered gathered, std::span<const std::uint32_t> versions);
  /// What the responses to them all come to, rounding included; infinite where they have no bound of their own.
  double response_bound(std::size_t candidate, std::uint32_t version) const {
    const std::size_t points = factor_.fantasised();
    return response_bounds_.length(candidate, version, points) +
           std::sqrt(static_cast<double>(points - version)) * assumed_error_;
  }
  /// See kernels::bounding_deviation.
  struct DeviationBound {
    double prior_variance, rows, error;

    /// Of a candidate that misses so many fantasised points.
    double of(double variance, double missed) const {
      return kernels::bounding_deviation(variance, prior_variance, rows, missed, error);
    }
  };
  /// Up to the first `end` fantasised points.
  DeviationBound deviation_bound(std::size_t end) const {
    return {factor_.parameters().signal_variance, static_cast<double>(all_rows() + end), assumed_error_};
  }
  /// Whether every response so far errs by no more than the bound counts with.
  bool errors_as_assumed() const { return largest_error_ <= assumed_error_; }
  /// Makes it so for what is known, with room for points to come.
  void assume_errors();
  /// Variances from `rows` rows. Where these are all, means become exact, too: if they were bounds, the candidate has
  /// then seen no fantasised point.
  void solve(ScratchPool& scratch, Gathered gathered, std::size_t rows);

 private:
  PointColumns gather(Gathered gathered, std::size_t lanes, double* storage) const;
  /// An exact one, before any fantasised point.
  void set_mean(std::size_t candidate, double mean);
  void screen_panel(const PointColumns& scaled, std::size_t panel, std::size_t rows, double* matrix);

  const CpuFactor& factor_;
  const CpuCandidates& candidates_;
  Affine units_;
  std::span<const double> offset_;
  CpuField field_;
  std::vector<std::uint32_t> solved_rows_;
  std::vector<std::uint8_t> exact_;  ///< whether a candidate's means are more than bounds
  ResponseBounds response_bounds_;
  std::vector<double> weights_;  ///< K⁻¹(y − prior mean)
  std::optional<FloatScreen> screen_;
  std::optional<FloatResponses> float_responses_;
  std::size_t lowers_from_ = 0;  ///< fantasised point from which on responses in float32 err by little
  double largest_error_ = 0;     ///< of the responses to all fantasised points
  double assumed_error_ = 0;
};

}  // namespace carbo::internal
