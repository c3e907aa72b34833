#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/cpu/covariance.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// Points divided by the lengthscales, owned: columns × padded(count).
struct ScaledPoints {
  std::vector<double> data;
  std::size_t count = 0;
  std::size_t columns = 0;

  PointColumns view() const { return {data.data(), padded(count), columns}; }
};

/// Points by coordinate with a factor each; as many as there are factors.
struct WeightedPoints {
  PointColumns points;
  std::span<const double> scales;
};

/// sums[j] += Σ_i scales_i · Matérn(points_i, at_{first + j}) for 0 ≤ j < width ≤ panel_width, i ascending. `width`
/// is a multiple of lane_multiple.
inline void add_weighted_sums(const WeightedPoints& from, const PointColumns& at, std::size_t first,
                              std::size_t width, double* __restrict sums) {
  alignas(64) double squared[panel_width];
  for (std::size_t i = 0; i < from.scales.size(); ++i) {
    squared_distances(from.points.data + i, from.points.stride, at, first, width, squared);
    add_matern_row(squared, width, from.scales[i], sums);
  }
}

/// The same for points [0, count) of `at`, whose stride is at least padded(count). Does not depend on threads.
std::vector<double> weighted_sums(ThreadPool& pool, const WeightedPoints& from, const PointColumns& at,
                                  std::size_t count);

}  // namespace carbo::internal
