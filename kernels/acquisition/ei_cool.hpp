#pragma once

#include <cmath>

#include "acquisition/proof.hpp"
#include "acquisition/reductions.hpp"
#include "acquisition/spec.hpp"
#include "formulas/bound_log.hpp"
#include "formulas/log_h.hpp"

namespace carbo::kernels {

/// EI / c^α: the log of the mean of expected improvement over fantasies, less α log c. Parameter: α ≥ 0, the cost's
/// exponent; 1 is EI per cost, 0 is EI.
struct EiCool {
  /// Of a candidate under one GP.
  struct Prepared {
    double log_sd;
    double inverse_sd;
  };
  using Reduction = LogMean;
  using Score = EiCool;
  static constexpr bool has_ceilings = true;
  static constexpr bool needs_extremes = false;

  CARBO_HOST_DEVICE static Prepared prepare(const AcquisitionSpec&, double sd, const LogCost&) {
    return {log(sd), 1.0 / sd};
  }
  /// The same for bounds, in vector code.
  CARBO_HOST_DEVICE static Prepared prepare_bound(const AcquisitionSpec&, double sd, const LogCost&) {
    return {bound_log(sd), 1.0 / sd};
  }
  /// Log EI of one fantasy.
  CARBO_HOST_DEVICE static double term(const Prepared& at, double incumbent, double mean) {
    return at.log_sd + log_h((incumbent - mean) * at.inverse_sd);
  }
  /// EI after points with normals of length `norm`, from above: at most s · h(v), where u is (incumbent − mean) / s
  /// before, and v = −√(u² − norm²) where u < −norm, else u + norm. With norm = 0 it is h(u). This is h(v) from
  /// above: below −1, h(−t) = φ(t) (1 − t M(t)) with Mills' ratio M, of which the fourth convergent of its continued
  /// fraction is a lower bound (at most 0.15 nat too high, 0.04 from t = 2 on); up to 1, the series of h(v) − v/2
  /// ends before a negative term; beyond, h(v) = v + h(−v) ≤ v + h(−1). Without branches.
  CARBO_HOST_DEVICE static LogMean::Bound bound(const Prepared& at, double incumbent, double mean, double norm) {
    constexpr double sqrt_2pi = 2.5066282746310002;
    constexpr double inverse_sqrt_2pi = 0.3989422804014328;
    constexpr double half_inverse_sqrt_2pi = 0.19947114020071638;
    constexpr double h_at_minus_one = 0.0833154705876864;
    const double u = (incumbent - mean) * at.inverse_sd;
    const double square = (-u - norm) * (norm - u);
    const bool falls = u < -norm;
    const bool tail = falls & (square >= 1.0);
    const double q = square < 1e100 ? square : 1e100;
    const double in_tail = (q + 3.0) / (q * (q + 6.0) + 3.0);
    const double v = falls ? -sqrt(square < 1.0 ? square : 1.0) : u + norm;
    const double series = 0.5 * v + inverse_sqrt_2pi + half_inverse_sqrt_2pi * v * v;
    const double not_tail = sqrt_2pi * (v < 1.0 ? series : v + h_at_minus_one);
    return {tail ? in_tail : not_tail, (tail ? 0.5 * square : 0.0) - at.log_sd};
  }
  /// −α log c, with γ (median of the cost), γ + σ²/2 (its mean) or γ − α σ²/2 (so that it is log E[c^−α]) for log c.
  CARBO_HOST_DEVICE static double cost_term(const AcquisitionSpec& spec, const LogCost& cost) {
    const double alpha = spec.parameter;
    if (!cost.counts || alpha == 0.0) return 0.0;
    double log_cost = cost.mean;
    if (spec.moment == CostMoment::mean) log_cost += 0.5 * cost.variance;
    if (spec.moment == CostMoment::exact) log_cost -= 0.5 * alpha * cost.variance;
    return -alpha * counted_log_cost(spec, log_cost);
  }
  CARBO_HOST_DEVICE static bool rises_with_cost_variance(CostMoment moment) { return moment != CostMoment::mean; }
  static bool takes(CostMoment) { return true; }
  /// What is wrong with a parameter; null where nothing is.
  static const char* refuses(double alpha) { return std::isfinite(alpha) && alpha >= 0 ? nullptr : "0 or above"; }
  static double standardised(double alpha, double) { return alpha; }

  /// (τ − τ_k) / (τ − τ_init), kept within [0, 1]; 0 where the design used up the whole budget. Of finite numbers,
  /// whatever their size.
  static double cooled(double budget, double used, double used_at_design_end) {
    const bool overflows = !std::isfinite(budget - used) || !std::isfinite(budget - used_at_design_end);
    const double unit = overflows ? 0.5 : 1.0;
    const double left_after_design = unit * budget - unit * used_at_design_end;
    if (!(left_after_design > 0)) return 0.0;
    const double share = (unit * budget - unit * used) / left_after_design;
    return share < 0.0 ? 0.0 : share < 1.0 ? share : 1.0;
  }
  /// That share to the power of AcquisitionParameters::cooling; 1 throughout where that is 0.
  static double parameter(const RunState& run) {
    return std::pow(cooled(run.budget, run.used, run.used_at_design_end), run.given.cooling);
  }
  /// `alpha`: as somebody who runs his own loop gives it.
  static double requested(double alpha, const AcquisitionParameters&) { return alpha; }
};

/// The two ends of cooling.
struct EiPerCost : EiCool {
  static double parameter(const RunState&) { return 1.0; }
  static double requested(double, const AcquisitionParameters&) { return 1.0; }
};
struct Ei : EiCool {
  static double parameter(const RunState&) { return 0.0; }
  static double requested(double, const AcquisitionParameters&) { return 0.0; }
};

}  // namespace carbo::kernels
