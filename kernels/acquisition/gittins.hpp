#pragma once

#include <cmath>

#include "acquisition/proof.hpp"
#include "acquisition/reductions.hpp"
#include "acquisition/spec.hpp"
#include "formulas/log_h.hpp"

namespace carbo::kernels {

/// Logarithms above which h(u) = u to the last bit.
constexpr double plain_log_h = 3.7;

/// u with log h(u) = `log_value`: at which u expected improvement, in units of the standard deviation, has a given
/// logarithm. Relative error below 1e-13 of max(1, |u|) for −1e300 < log_value < 700; −∞ at −∞, ∞ at ∞, NaN for NaN.
/// Halley's method on log h, whose first derivative is d = Φ/h and whose second is φ/h − d².
CARBO_HOST_DEVICE inline double inverse_log_h(double log_value) {
  constexpr double log_sqrt_2pi = 0.9189385332046728;
  constexpr double inverse_sqrt_2pi = 0.3989422804014327;
  if (!(log_value > -HUGE_VAL && log_value < HUGE_VAL)) return log_value;
  // And where u² / 2 is all that is left of log h.
  if (log_value > plain_log_h) return exp(log_value);
  if (log_value < -1e16) return -sqrt(-2.0 * log_value);
  double u;
  if (log_value < -2.5) {
    // h(−t) ≈ φ(t) / (t² + 3).
    const double square = -2.0 * (log_value + log_sqrt_2pi);
    const double less = square - 2.0 * log(square + 3.0);
    u = -sqrt(less < 1.0 ? 1.0 : square - 2.0 * log(less + 3.0));
  } else {
    // h(u) ≈ 0.399 + u/2 + u²/5, the larger root.
    const double value = exp(log_value);
    const double square = 0.25 - 0.8 * (inverse_sqrt_2pi - value);
    u = value > 1.2 ? value : ((square > 0.0 ? sqrt(square) : 0.0) - 0.5) * 2.5;
  }
  for (int step = 0; step < 3; ++step) {
    const double value = log_h(u);
    const double density = exp(-0.5 * u * u - log_sqrt_2pi - value);  // φ/h
    // Φ = (h − φ) / u; near 0 by the first terms of its series, which only the speed of convergence sees.
    const double slope =
        fabs(u) > 0.05 ? (1.0 - density) / u : (0.5 + inverse_sqrt_2pi * u * (1.0 - u * u / 6.0)) * exp(-value);
    const double miss = value - log_value;
    const double newton = miss / slope;
    const double bend = 0.5 * newton * (density - slope * slope) / slope;
    // Halley's denominator, kept away from 0 where the first guess is far off.
    u -= newton / (1.0 - (bend > 0.5 ? 0.5 : bend));
  }
  return u;
}

/// The Gittins index of Pandora's box: g is the value at which expected improvement below g equals λ · c, so that
/// g = μ + s · u with log h(u) = log λ + log c − log s. The lowest g is picked: a fantasy's term is −g, and fantasies
/// count by their mean. Parameter: log λ, of λ in standardised units of the objective per unit of cost.
///
/// −g rises with the deviation (d(s·u)/ds = −φ/Φ), and falls with the mean and with the cost. Where λ · c is far
/// above s, s · u is λ · c itself, whatever s is.
struct Gittins {
  struct Prepared {
    double sd;
    double offset;  ///< s · u
  };
  using Reduction = PlainMean;
  using Score = Gittins;
  static constexpr bool has_ceilings = true;
  static constexpr bool needs_extremes = false;

  CARBO_HOST_DEVICE static Prepared prepare(const AcquisitionSpec& spec, double sd, const LogCost& cost) {
    double log_price = spec.parameter;
    if (cost.counts)
      log_price +=
          counted_log_cost(spec, spec.moment == CostMoment::mean ? cost.mean + 0.5 * cost.variance : cost.mean);
    const double log_value = log_price - log(sd);
    return {sd, log_value > plain_log_h ? price(log_price) : sd * inverse_log_h(log_value)};
  }
  CARBO_HOST_DEVICE static Prepared prepare_bound(const AcquisitionSpec& spec, double sd, const LogCost& cost) {
    return prepare(spec, sd, cost);
  }
  /// λ · c. A log-normal cost whose logarithm is uncertain by hundreds has a mean beyond all numbers: from e⁶⁰⁰ on
  /// prices rise with their logarithm only, so that scores, and sums of them over fantasies, stay numbers and in
  /// order.
  CARBO_HOST_DEVICE static double price(double log_price) {
    constexpr double highest = 600.0, furthest = 1e30;
    if (!(log_price > highest)) return exp(log_price);
    const double beyond = log_price - highest;
    return exp(highest) * (1.0 + (beyond < furthest ? beyond : furthest));
  }
  CARBO_HOST_DEVICE static double term(const Prepared& at, double, double mean) { return -(mean + at.offset); }
  /// The mean may have fallen by sd · norm. Rounding: of the index's two parts, which may cancel.
  CARBO_HOST_DEVICE static PlainMean::Bound bound(const Prepared& at, double, double mean, double norm) {
    const double fall = at.sd * norm;
    const double rounding = ceiling_rounding * (fabs(mean) + fabs(at.offset) + fall + at.sd);
    return {fall - (mean + at.offset) + rounding};
  }
  CARBO_HOST_DEVICE static double cost_term(const AcquisitionSpec&, const LogCost&) { return 0.0; }
  CARBO_HOST_DEVICE static bool rises_with_cost_variance(CostMoment) { return false; }
  static bool takes(CostMoment moment) { return moment != CostMoment::exact; }
  static const char* refuses(double log_rate) { return std::isfinite(log_rate) ? nullptr : "a lambda above 0"; }
  static double standardised(double lambda, double objective_scale) {
    return std::log(lambda) - std::log(objective_scale);
  }

  /// λ as it was given, or at first a tenth of the objective's spread per typical cost; times lambda_decay when no
  /// index of the search before was below the incumbent.
  static double parameter(const RunState& run) {
    constexpr double lowest = 1e-300, highest = 1e300;
    double lambda = run.parameter;
    if (!run.searched)
      lambda = run.given.lambda > 0 ? run.given.lambda : 0.1 * run.objective_scale / run.typical_cost;
    else if (!(-run.score < run.incumbent))
      lambda *= run.given.lambda_decay;
    return lambda > lowest ? (lambda < highest ? lambda : highest) : lowest;
  }
  static double requested(double, const AcquisitionParameters& given) { return given.lambda; }
};

}  // namespace carbo::kernels
