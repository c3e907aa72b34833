#include "parity/acquisition_checks.hpp"
#include "support/cuda_study.hpp"

// Max-value entropy search on the device: picks of its own dense pass to the bit, the CPU's scores to rounding, and
// whole studies with its samples of the minimum.
namespace {

using namespace cuda_pair;

TEST(CudaMes, RandomCasesGiveTheDensePicks) { expect_the_dense_picks_of_cases(8, search_cases::by_mes); }

TEST(CudaMes, ScoresAreTheCpusToRounding) { expect_the_cpus_scores_of_cases(10, search_cases::by_mes, 1e-5); }

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
