// One small study on a real device against the CPU. Skipped where there is no device.

#include <gtest/gtest.h>

#include <string>

#include <carbo/carbo.hpp>

#include "support/environment.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace carbo::test;

Options study(BackendKind kind, FantasyMode mode) {
  Options options = small_options(200);
  options.batch_size = 4;
  options.fantasies.mode = mode;
  options.backend.kind = kind;
  return options;
}

/// Scores of the CPU and of a device agree to rounding, so that picks are the same where scores differ by more.
constexpr double decided = 1e-6;

bool is_decided(const Receipt& receipt) {
  return !receipt.log_score || !receipt.runner_up_log_score ||
         *receipt.log_score - *receipt.runner_up_log_score > decided;
}

class Gpu : public testing::TestWithParam<FantasyMode> {};

TEST_P(Gpu, AStudyPicksWhatTheCpuPicks) {
  const EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  std::optional<Optimizer> cuda;
  try {
    cuda.emplace(valley_space(), study(BackendKind::cuda, GetParam()));
  } catch (const BackendUnavailable& error) {
    GTEST_SKIP() << error.what();
  }
  Optimizer cpu(valley_space(), study(BackendKind::cpu, GetParam()));
  bool same = true;
  std::size_t compared = 0;
  while (same && !cpu.done()) {
    const std::vector<Suggestion> expected = cpu.ask();
    const std::vector<Suggestion> picked = cuda->ask();
    ASSERT_EQ(picked.size(), expected.size());
    for (std::size_t i = 0; same && i < picked.size(); ++i) {
      EXPECT_EQ(picked[i].receipt.backend, "cuda");
      same = picked[i].configuration.to_string() == expected[i].configuration.to_string();
      ASSERT_TRUE(same || !is_decided(expected[i].receipt)) << "pick " << compared;
      if (!same) break;
      ++compared;
      cpu.tell(expected[i].id, valley(expected[i].configuration));
      cuda->tell(picked[i].id, valley(picked[i].configuration));
    }
  }
  EXPECT_GT(compared, 8u) << "picks came apart before the search had begun";
}

INSTANTIATE_TEST_SUITE_P(Modes, Gpu, testing::Values(FantasyMode::shared, FantasyMode::batched),
                         [](const testing::TestParamInfo<FantasyMode>& mode) -> std::string {
                           return mode.param == FantasyMode::shared ? "Shared" : "Batched";
                         });

}  // namespace
}  // namespace carbo
