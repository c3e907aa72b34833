#pragma once

#include <cstddef>
#include <vector>

#include "backend/cpu/covariance.hpp"
#include "backend/cpu/factor.hpp"

namespace carbo::internal {

/// Responses of candidates to a factor's fantasised points by correlations in float32, for bounds on what these do to
/// a posterior: in about half the time of exact ones, with a proved margin (kernels/acquisition/float_margin.hpp).
class FloatResponses {
 public:
  /// Of more points at once exact responses cost no more: they make each covariance once.
  static constexpr std::size_t most_points = 4;

  /// Values and what they may err by, of up to most_points points.
  struct Bounded {
    alignas(64) double values[most_points][panel_width];
    alignas(64) double errors[most_points][panel_width];
  };

  /// `margin_share`: of the proved margin; below 1 nothing is proved.
  FloatResponses(const CpuFactor& factor, double margin_share);

  /// Follows the factor, which has more fantasised points.
  void follow();
  /// Of points first ≤ t < last, last − first ≤ most_points, and the first `count` candidates of `panel`, which is
  /// scaled by the lengthscales. Where `squares` is not null, also ‖k(X, x)‖² from above, over all rows before
  /// `last`.
  void bound(std::size_t first, std::size_t last, const PointColumns& panel, std::size_t count, Bounded& out,
             double* squares) const;

 private:
  /// Of the weights of one point's response, its own row's included.
  struct Weights {
    double largest;
    double total;  ///< Σ |w|
  };

  double weight(std::size_t point, std::size_t row) const;
  void take_row(std::size_t row, float* point) const;

  const CpuFactor& factor_;
  double margin_share_;
  std::vector<double> centre_;  ///< of the box round the observed points, scaled
  std::vector<Weights> weights_;
  double radius_ = 0;  ///< largest norm of all rows, centred and times √5
};

}  // namespace carbo::internal
