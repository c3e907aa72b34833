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

/// The same with entries in float32, summed in float32 over `rows_at_once` points and in float64 over these. Six
/// columns; points are row-major.
struct FloatMaternPanel {
  static constexpr std::size_t columns = 6;
  static constexpr std::size_t rows_at_once = 32;
  const float* points;
  const float* weights;
  std::size_t rows;
  const float* candidates;
  double* sums;
};

/// What limits are measured with, compiled for the level that the CPU backend runs at.
struct LevelLoops {
  void (*product)(const double* a, const double* b, double* c, std::size_t size);  ///< c = a · b, square
  /// Independent multiply-adds in registers, `rounds` of fma_lanes each; returns their sum.
  double (*fma)(std::size_t rounds, double factor);
  std::size_t fma_lanes;
  void (*triad)(double* a, const double* b, const double* c, double scale, std::size_t count);  ///< a = b + scale · c
  void (*matern_panel)(const MaternPanel& panel);
  void (*float_matern_panel)(const FloatMaternPanel& panel);
};

const LevelLoops& level_loops();

}  // namespace carbo::bench
