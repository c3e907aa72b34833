#include "parity/acquisition_checks.hpp"
#include "support/search_ceilings.hpp"

// The Gittins index on the device: picks of its own dense pass to the bit, ceilings above scores, and the CPU's
// scores to rounding.
namespace {

using namespace cuda_pair;
using namespace search_cases;

Case at_a_price(const Case& c) { return by_gittins(c, -3); }

TEST(CudaGittins, RandomCasesGiveTheDensePicks) {
  expect_the_dense_picks_of_cases(12, at_a_price);
  expect_the_dense_picks(at_a_price(late_case({300, 2000, 3})), cuda_tiled);
}

TEST(CudaGittins, ScoresAreTheCpusToRounding) { expect_the_cpus_scores_of_cases(12, at_a_price, 1e-6); }

TEST(CudaGittins, CeilingsAreNeverBelowTheExactScores) {
  for (std::uint64_t seed = 70; seed < 78; ++seed)
    expect_ceilings_that_hold(at_a_price(lasting_case(seed, small_shape(seed))), cuda_tiled);
}

}  // namespace
