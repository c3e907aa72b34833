#include <string>

#include "support/cuda_study.hpp"

// Longer studies than the emulator can bear, on a card beside the CPU.
namespace carbo {
namespace {

class Gpu : public CudaStudy, public testing::WithParamInterface<FantasyMode> {};

TEST_P(Gpu, AStudyPicksWhatTheCpuPicks) {
  Study study;
  study.options = test::small_options(200);
  study.batch = study.options.batch_size = 4;
  study.options.fantasies.mode = GetParam();
  study.least_picks = 9;
  expect_the_cpus_picks(study);
}

INSTANTIATE_TEST_SUITE_P(Modes, Gpu, testing::Values(FantasyMode::shared, FantasyMode::batched),
                         [](const testing::TestParamInfo<FantasyMode>& mode) -> std::string {
                           return mode.param == FantasyMode::shared ? "Shared" : "Batched";
                         });

}  // namespace
}  // namespace carbo
