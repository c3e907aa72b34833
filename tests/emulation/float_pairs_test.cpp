#include <gtest/gtest.h>

#include "backend/cuda/cuda_backend.hpp"
#include "emulator_control.h"
#include "emulator_control.hpp"
#include "support/cuda_pair.hpp"
#include "support/search_paths.hpp"

// Cards with much float64 and with little: in which precision a search looks first where float32 hides too much.
namespace cuda_pair {
namespace {

using namespace search_cases;

struct Look {
  std::size_t screened = 0;  ///< means
  std::uint64_t launches = 0;
  std::vector<Scored> best;
};

/// Little noise and long lengthscales, so that neighbours' weights are large and of both signs.
Look look_with(const char* ratio) {
  const emulator::Setting card("EMULATOR_FLOAT32_RATIO", ratio);
  Case c = late_case({300, 7000, 1});
  c.cost = Cost::none;
  c.gps.front().noise_variance = 1e-8;
  for (double& inverse : c.gps.front().inverse_lengthscales) inverse *= 0.6;
  BoundedPath path(c, 0, false, cuda_tiled);
  emulator_reset_counters();
  Look look;
  look.best = path.top({{0.0}, spec_of(c), c.log_cost_limit}, 2);
  look.launches = emulator_counter("launches");
  look.screened = path.search().work().screened;
  return look;
}

TEST(CudaFloatPairs, AreForCardsWithLittleFloat64) {
  const Look much = look_with("2"), some = look_with("15"), little = look_with("16"), least = look_with("64");
  EXPECT_EQ(much.screened, 0u);
  EXPECT_EQ(some.screened, 0u);
  EXPECT_EQ(little.screened, 7000u);
  EXPECT_EQ(least.screened, 7000u);
  EXPECT_EQ(much.launches + 1, least.launches) << "only where they may be chosen is there a kernel for them";
  ASSERT_EQ(much.best.size(), 2u);
  for (const Look& other : {some, little, least})
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(other.best.at(i).index, much.best[i].index);
      EXPECT_EQ(other.best.at(i).score, much.best[i].score);
    }
}

}  // namespace
}  // namespace cuda_pair
