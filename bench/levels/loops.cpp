#include "backend/cpu/intrinsics.hpp"
// Eigen comes after it.
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "backend/cpu/covariance.hpp"
#include "backend/cpu/tile.hpp"
#include "bench/support/level_loops.hpp"

namespace carbo::bench {
namespace {

using internal::panel_width;

void product(const double* a, const double* b, double* c, std::size_t size) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto n = static_cast<Eigen::Index>(size);
  Eigen::Map<Matrix>(c, n, n).noalias() = Eigen::Map<const Matrix>(a, n, n) * Eigen::Map<const Matrix>(b, n, n);
}

/// Chains enough for two units of a latency of five cycles; with their factor they fit the registers of every level.
constexpr std::size_t fma_chains = 12;
constexpr std::size_t fma_lanes = fma_chains * internal::vector_lanes;

double multiply_adds(std::size_t rounds, double factor) {
  using Vector [[gnu::vector_size(internal::vector_lanes * sizeof(double))]] = double;
  const Vector scale = factor - Vector{};
  Vector sums[fma_chains];
  for (std::size_t i = 0; i < fma_chains; ++i) sums[i] = static_cast<double>(i) - Vector{};
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < fma_chains; ++i) sums[i] = sums[i] * scale + scale;
  double total = 0;
  for (const Vector& sum : sums)
    for (std::size_t lane = 0; lane < internal::vector_lanes; ++lane) total += sum[lane];
  return total;
}

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double scale,
           std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) a[j] = b[j] + scale * c[j];
}

template <class Columns>
void matern_sums(const MaternPanel& panel, Columns columns) {
  alignas(64) double squared[panel_width];
  alignas(64) double sum[panel_width] = {};
  const internal::PointColumns own{panel.candidates, panel_width, columns};
  for (std::size_t i = 0; i < panel.rows; ++i) {
    internal::squared_distances(panel.points + i, panel.rows, own, 0, panel_width, squared);
    internal::add_matern_row(squared, panel_width, panel.weights[i], sum);
  }
  std::copy_n(sum, panel_width, panel.sums);
}

/// Six columns are known to the compiler, which makes the limit harder to reach.
void matern_panel(const MaternPanel& panel) {
  if (panel.columns == 6)
    matern_sums(panel, std::integral_constant<std::size_t, 6>{});
  else
    matern_sums(panel, panel.columns);
}

/// exp(−x) for x ≥ 0: kernels::exp_negative in float32, its polynomial cut where float32 ends.
inline float exp_negative(float x) {
  constexpr float rounder = 0x1.8p23f;
  const float shifted = rounder - x * 1.44269504f;
  const float k = shifted - rounder;
  const float r = (-x - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
  const float r2 = r * r;
  const float q01 = 0.5f + r * 0.16666667f;
  const float q23 = 0.041666667f + r * 0.0083333333f;
  const float q45 = 0.0013888889f + r * 0.0001984127f;
  const float exponential = 1.0f + (r + r2 * ((q01 + r2 * q23) + (r2 * r2) * q45));
  const float power = std::bit_cast<float>((std::bit_cast<std::int32_t>(shifted) + 127) << 23);
  return x > 87.0f ? 0.0f : exponential * power;
}

void add_float_row(const float* point, float weight, const float* own, float* part) {
  for (std::size_t j = 0; j < panel_width; ++j) {
    float squared = 0;
    for (std::size_t c = 0; c < FloatMaternPanel::columns; ++c) {
      const float difference = own[c * panel_width + j] - point[c];
      squared += difference * difference;
    }
    const float a = std::sqrt(5.0f * squared);
    part[j] += weight * ((1.0f + a * (1.0f + a * (1.0f / 3.0f))) * exp_negative(a));
  }
}

void float_matern_panel(const FloatMaternPanel& panel) {
  alignas(64) float own[FloatMaternPanel::columns * panel_width];
  alignas(64) double sum[panel_width] = {};
  std::copy_n(panel.candidates, FloatMaternPanel::columns * panel_width, own);
  for (std::size_t first = 0; first < panel.rows; first += FloatMaternPanel::rows_at_once) {
    alignas(64) float part[panel_width] = {};
    for (std::size_t i = first; i < std::min(panel.rows, first + FloatMaternPanel::rows_at_once); ++i)
      add_float_row(panel.points + i * FloatMaternPanel::columns, panel.weights[i], own, part);
    for (std::size_t j = 0; j < panel_width; ++j) sum[j] += static_cast<double>(part[j]);
  }
  std::copy_n(sum, panel_width, panel.sums);
}

constexpr LevelLoops loops = {product, multiply_adds, fma_lanes, triad, matern_panel, float_matern_panel};

}  // namespace
}  // namespace carbo::bench

extern "C" const carbo::bench::LevelLoops* CARBO_LEVEL_ENTRY() { return &carbo::bench::loops; }
