#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/cpu/covariance.hpp"
#include "backend/cpu/factor.hpp"

namespace carbo::internal {

/// Posterior means of one GP from below, by correlations in float32: a first look that takes half the time of the
/// exact pass, with a proved margin (kernels/acquisition/float_margin.hpp).
class FloatScreen {
 public:
  /// Weighted sums over the factor's observed rows from `first_row` on and over its background; `weights` as in
  /// mean_and_explained. `margin_share`: of the proved margin; below 1 nothing is proved.
  FloatScreen(const CpuFactor& factor, std::span<const double> weights, std::size_t first_row, double margin_share);

  /// Adds the sums to `sum` and writes what these and the same in float64 may differ by: infinite where that is not
  /// known. `panel` is scaled by the lengthscales, with panel_width candidates.
  void add_sums(const PointColumns& panel, double* sum, double* margin) const;

 private:
  /// Rows of one sign, the absolute value of each weight over `unit_`.
  struct Rows {
    std::vector<float> points;  ///< rows × columns, centred and times √5
    std::vector<float> weights;
  };

  void add_row(const PointColumns& points, std::size_t row, double weight);
  void add_to(const Rows& rows, const float* coordinates, double* sum) const;

  std::size_t columns_;
  std::vector<double> centre_;  ///< of the box round the observed points, scaled
  Rows positive_, negative_;
  double unit_ = 0;     ///< the largest |w|
  double weights_ = 0;  ///< Σ |w| over all rows, those before `first_row` included
  double radius_ = 0;   ///< largest ‖p‖
  std::size_t rows_;    ///< all there are
  double margin_share_;
};

}  // namespace carbo::internal
