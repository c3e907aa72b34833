#pragma once

#include <cmath>
#include <cstddef>

#include "acquisition/float_margin.hpp"
#include "device/covariance_tile.cuh"

namespace carbo::kernels {

constexpr double sqrt_5 = 2.23606797749979;

/// A coordinate as float32 takes it: scaled, moved by the centre, times √5.
__device__ inline double screened_coordinate(const CandidateView& candidates, const GpView& gp, const double* centre,
                                             std::size_t i, int column) {
  return sqrt_5 * (coordinate(candidates, i, column) * gp.inverse_lengthscales[column] - centre[column]);
}

/// A sum of parts in float32 as two numbers: what adding a part rounds off is kept.
struct FloatPair {
  float high = 0.0f;
  float low = 0.0f;

  __device__ inline void add(float part) {
    const float sum = high + part;
    const float taken = sum - high;
    low += (high - (sum - taken)) + (part - taken);
    high = sum;
  }
  __device__ inline double take() {
    const double sum = static_cast<double>(high) + static_cast<double>(low);
    high = low = 0.0f;
    return sum;
  }
};

}  // namespace carbo::kernels
