#pragma once

#include <cstddef>

namespace carbo::bench {

/// A panel of the Matérn pass: n points by coordinate (coordinate c of point i is points[c · rows + i]), their
/// weights, and panel_width candidates by coordinate; all divided by the lengthscales.
struct MaternPanel {
  const double* points;
  const double* weights;
  std::size_t rows;
  const double* candidates;
  std::size_t columns;
  double* sums;  ///< panel_width: Σ_i weights[i] · Matern52(point i, candidate)
};

/// What limits are measured with, compiled for the level that the CPU backend runs at.
struct LevelLoops {
  void (*product)(const double* a, const double* b, double* c, std::size_t size);  ///< c = a · b, square
  /// Independent multiply-adds in registers, `rounds` of fma_lanes each; returns their sum.
  double (*fma)(std::size_t rounds, double factor);
  std::size_t fma_lanes;
  void (*triad)(double* a, const double* b, const double* c, double scale, std::size_t count);  ///< a = b + scale · c
  void (*matern_panel)(const MaternPanel& panel);
};

const LevelLoops& level_loops();

}  // namespace carbo::bench
