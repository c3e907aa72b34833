#include "support/cuda_scores.hpp"
#include "support/cuda_study.hpp"
#include "support/search_ceilings.hpp"

// Max-value entropy search on the device: picks of its own dense pass to the bit, the CPU's scores to rounding, and
// whole studies with its samples of the minimum.
namespace {

using namespace cuda_pair;
using namespace search_cases;

Shape entropy_shape(std::uint64_t seed) {
  Shape shape = random_shape(seed);
  shape.n = std::min<std::size_t>(shape.n, 70);
  shape.m = std::min<std::size_t>(shape.m, 300);
  shape.batch = std::min<std::size_t>(shape.batch, 3);
  return shape;
}

TEST(CudaMes, RandomCasesGiveTheDensePicks) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    expect_the_dense_picks(by_mes(make_case(seed, entropy_shape(seed))), cuda_tiled);
}

TEST(CudaMes, ScoresAreTheCpusToRounding) {
  for (std::uint64_t seed = 40; seed < 50; ++seed) {
    const Case c = by_mes(make_case(seed, entropy_shape(seed)));
    SCOPED_TRACE(testing::Message() << c);
    DensePath cpu(c), cuda(c, cuda_tiled);
    const double lowest = *std::min_element(c.targets.begin(), c.targets.end());
    const Asked asked{std::vector<double>(c.gps.size(), lowest), spec_of(c), 1e9};
    const std::vector<double> expected = cpu.scores(asked), found = cuda.scores(asked);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::isfinite(expected[i])) {
        EXPECT_NEAR(found[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << i;
      } else {
        EXPECT_EQ(found[i], expected[i]) << i;
      }
  }
}

}  // namespace

namespace carbo {
namespace {

TEST_F(CudaStudy, ByEntropySearch) {
  for (const FantasyMode mode : {FantasyMode::shared, FantasyMode::batched}) {
    Study study;
    study.batch = study.options.batch_size = 3;
    study.options.acquisition = Acquisition::mes_cool;
    study.options.fantasies.mode = mode;
    study.options.max_evaluations = 14;
    study.least_picks = 10;
    expect_the_cpus_picks(study);
  }
}

TEST_F(CudaStudy, WithAPriceThatEndsIt) {
  Study study;
  study.options.stopping.price = 400;
  study.least_picks = 6;
  expect_the_cpus_picks(study);
}

}  // namespace
}  // namespace carbo
