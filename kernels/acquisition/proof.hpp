#pragma once

#include <cmath>

#include "acquisition/spec.hpp"
#include "formulas/host_device.hpp"
#include "formulas/variance_floor.hpp"

/// \file
/// Why a candidate that was left alone could not have been picked: what every bound on a score is made of, with the
/// room that rounding needs. Both backends' searches stand on these; in which order they look at candidates is their
/// own.
///
/// A candidate's variance from the first rows of forward substitution is at least its variance from all of them.
/// Fantasised points with normals z take r from it, |r| ≤ s: its mean falls by at most |r| ‖z‖, and its variance
/// becomes s² − |r|². A score that rises with the deviation and falls with the mean is therefore at most the score of
/// (mean − s ‖z‖, s) for any s that is not too small.

namespace carbo::kernels {

/// Above what scores and their parts may err by, relative to their size; see log_h.
constexpr double ceiling_rounding = 1e-13;
/// Responses to points that are still to come may err by so many times the largest error known.
constexpr double response_error_room = 4.0;

/// A score from above, whatever rounding did to it and to its bound.
CARBO_HOST_DEVICE inline double with_margin(double value) { return value + ceiling_rounding * (1.0 + fabs(value)); }

/// What rounding may add to the response of a candidate to a fantasised point with pivot ℓ: k(X,x)ᵀβ is a sum of
/// `rows` terms, and β itself comes out of a triangular solve with L, so that both err by at most about
/// ε · rows · k(x,x) · (‖β‖₁ + √rows ‖β‖₂) ≤ 2 ε · rows · k(x,x) · √rows ‖β‖₂.
CARBO_HOST_DEVICE inline double response_error(double prior_variance, double rows, double beta_norm, double pivot) {
  const double terms = 1.0 + 2.0 * sqrt(rows) * beta_norm;
  return variance_floor(prior_variance, rows) * terms / pivot;
}

/// The same before any response is known: as if ‖β‖ were 1 and the pivot the smallest there can be.
CARBO_HOST_DEVICE inline double usual_response_error(double prior_variance, double noise_variance, double rows,
                                                     double least_relative_pivot) {
  const double least = least_relative_pivot * (prior_variance + noise_variance);
  const double pivot = sqrt(noise_variance < least ? least : noise_variance);
  return response_error(prior_variance, rows, 1.0, pivot);
}

/// An error that no response is assumed to pass.
CARBO_HOST_DEVICE inline double assumed_response_error(double largest_known, double usual) {
  return response_error_room * (largest_known < usual ? usual : largest_known);
}

/// What a candidate's standard deviation, and the length of its responses to `missed` points, may come to with
/// rounding, given its variance: `rows` are all rows that there will be by then.
CARBO_HOST_DEVICE inline double bounding_deviation(double variance, double prior_variance, double rows, double missed,
                                                   double error) {
  return sqrt(variance + variance_floor(prior_variance, rows)) + sqrt(missed) * error;
}

/// ‖z‖ over points that a candidate has not seen, from above, of running sums of z²: up to them, and before them.
CARBO_HOST_DEVICE inline double stale_norm(double squares, double squares_before) {
  return sqrt(squares - squares_before + ceiling_rounding * squares);
}

/// The variance of a log cost that makes a score the highest. An unfinished one is too large, and 0 is too small.
CARBO_HOST_DEVICE inline double bounding_cost_variance(double variance, bool finished, bool score_rises_with_it) {
  return finished || score_rises_with_it ? variance : 0.0;
}

}  // namespace carbo::kernels
