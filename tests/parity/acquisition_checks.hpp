#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "support/cuda_pair.hpp"
#include "support/search_paths.hpp"

/// What holds of any acquisition on the device, over cases from `make_case` that `by` makes its own.
namespace cuda_pair {

using ByAcquisition = std::function<search_cases::Case(const search_cases::Case&)>;

inline search_cases::Shape small_shape(std::uint64_t seed) {
  search_cases::Shape shape = search_cases::random_shape(seed);
  shape.n = std::min<std::size_t>(shape.n, 70);
  shape.m = std::min<std::size_t>(shape.m, 300);
  shape.batch = std::min<std::size_t>(shape.batch, 3);
  return shape;
}

inline void expect_the_dense_picks_of_cases(std::uint64_t cases, const ByAcquisition& by) {
  for (std::uint64_t seed = 0; seed < cases; ++seed)
    search_cases::expect_the_dense_picks(by(search_cases::make_case(seed, small_shape(seed))), cuda_tiled);
}

/// Variances agree to about 1e-13 of the signal, so that the deviation of what was observed without noise, and the
/// score with it, agree to the root of that: `tolerance`, relative.
inline void expect_the_cpus_scores_of_cases(std::uint64_t cases, const ByAcquisition& by, double tolerance) {
  for (std::uint64_t seed = 40; seed < 40 + cases; ++seed) {
    const search_cases::Case c = by(search_cases::make_case(seed, small_shape(seed)));
    SCOPED_TRACE(testing::Message() << c);
    search_cases::DensePath cpu(c), cuda(c, cuda_tiled);
    const double lowest = *std::min_element(c.targets.begin(), c.targets.end());
    const search_cases::Asked asked{std::vector<double>(c.gps.size(), lowest), search_cases::spec_of(c), 1e9};
    const std::vector<double> expected = cpu.scores(asked), found = cuda.scores(asked);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::isfinite(expected[i])) {
        EXPECT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
      } else {
        EXPECT_EQ(found[i], expected[i]) << i;
      }
  }
}

}  // namespace cuda_pair
