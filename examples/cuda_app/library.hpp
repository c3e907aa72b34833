#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define LIBRARY_FUNCTION __host__ __device__
#else
#define LIBRARY_FUNCTION
#endif

/// The library of candidates is a lattice: row i, column j is the fraction of (i + 1) / g^(j + 1), where g is the
/// root of g^6 = g + 1. It fills the cube evenly at every length, and a row can be computed anywhere.
LIBRARY_FUNCTION inline float library_value(std::int64_t row, int column) {
  const double slope = column == 0   ? 0.88127146163356959
                       : column == 1 ? 0.77663938908976813
                       : column == 2 ? 0.68443012958534252
                       : column == 3 ? 0.60316874068572825
                                     : 0.53155539771579125;
  const double position = static_cast<double>(row + 1) * slope;
  return static_cast<float>(position - floor(position));
}
