#include "support/cuda_scores.hpp"
#include "support/search_ceilings.hpp"

// The Gittins index on the device: picks of its own dense pass to the bit, ceilings above scores, and the CPU's
// scores to rounding.
namespace {

using namespace cuda_pair;
using namespace search_cases;

constexpr double log_lambda = -3;

Shape small_shape(std::uint64_t seed) {
  Shape shape = random_shape(seed);
  shape.n = std::min<std::size_t>(shape.n, 70);
  shape.m = std::min<std::size_t>(shape.m, 300);
  shape.batch = std::min<std::size_t>(shape.batch, 3);
  return shape;
}

TEST(CudaGittins, RandomCasesGiveTheDensePicks) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    expect_the_dense_picks(by_gittins(make_case(seed, small_shape(seed)), log_lambda), cuda_tiled);
  expect_the_dense_picks(by_gittins(late_case({300, 2000, 3}), log_lambda), cuda_tiled);
}

/// Variances agree to about 1e-13 of the signal, so that the deviation of what was observed without noise, and the
/// index with it, agree to the root of that.
TEST(CudaGittins, ScoresAreTheCpusToRounding) {
  for (std::uint64_t seed = 40; seed < 52; ++seed) {
    const Case c = by_gittins(make_case(seed, small_shape(seed)), log_lambda);
    SCOPED_TRACE(testing::Message() << c);
    DensePath cpu(c), cuda(c, cuda_tiled);
    const double lowest = *std::min_element(c.targets.begin(), c.targets.end());
    const Asked asked{std::vector<double>(c.gps.size(), lowest),
                      {c.acquisition, c.alpha, carbo::internal::moment_of(c.weight)},
                      1e9};
    const std::vector<double> expected = cpu.scores(asked), found = cuda.scores(asked);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::isfinite(expected[i])) {
        EXPECT_NEAR(found[i], expected[i], 1e-6 * (1 + std::abs(expected[i]))) << i;
      } else {
        EXPECT_EQ(found[i], expected[i]) << i;
      }
  }
}

TEST(CudaGittins, CeilingsAreNeverBelowTheExactScores) {
  for (std::uint64_t seed = 70; seed < 78; ++seed)
    expect_ceilings_that_hold(by_gittins(lasting_case(seed, small_shape(seed)), log_lambda), cuda_tiled);
}

}  // namespace
