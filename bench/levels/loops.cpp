#include "backend/cpu/intrinsics.hpp"
// Eigen comes after it.
#include <Eigen/Core>
#include <algorithm>
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

constexpr LevelLoops loops = {product, multiply_adds, fma_lanes, triad, matern_panel};

}  // namespace
}  // namespace carbo::bench

extern "C" const carbo::bench::LevelLoops* CARBO_LEVEL_ENTRY() { return &carbo::bench::loops; }
