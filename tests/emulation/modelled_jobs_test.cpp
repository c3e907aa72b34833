#include <gtest/gtest.h>

#include "bench/backends/workload.hpp"
#include "support/environment.hpp"
#include "support/modelled_jobs.hpp"

// The formulas of the model, of whole jobs, against what the emulator counts while it executes the same.
namespace carbo::bench {
namespace {

/// With the usual shares, which a search may be far from.
Tolerance tolerance_of_usual(Job job) {
  if (job == Job::suggest) return {0.4, 0.3};
  return {0.25, 0.3};
}

struct Run {
  StageWork counted;
  PickShares shares;  ///< 0 where there was no search
};

Run run_of(const Compared& of) {
  const auto& [job, sizes] = of;
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  carbo::BackendOptions options;
  options.kind = carbo::BackendKind::cuda;
  const auto workload = make_workload({job, variants_of(job, true).front(), sizes}, options);
  // Memory that is kept for reuse, and the field of `append`, are made in the first run.
  for (int run = 0; run < 2; ++run) {
    workload->prepare();
    emulator_reset_counters();
    workload->run();
  }
  return {counted(), workload->shares().value_or(PickShares{})};
}

class ModelledWork : public testing::TestWithParam<Compared> {};

TEST_P(ModelledWork, IsWhatTheEmulatorCounts) {
  const auto& [job, sizes] = GetParam();
  const auto [found, shares] = run_of(GetParam());
  const StageWork modelled = sum_of(modelled_work(job, sizes, shares));
  EXPECT_EQ(modelled.launches, found.launches);
  EXPECT_EQ(modelled.library_calls, found.library_calls);
  EXPECT_EQ(modelled.waits, found.waits);
  EXPECT_EQ(modelled.bytes_to_device, found.bytes_to_device);
  // Candidates that earlier races have left do not enter this one.
  EXPECT_NEAR(modelled.bytes_to_host, found.bytes_to_host, job == Job::design ? 8 : 0);
  const Tolerance tolerance = tolerance_of(job);
  EXPECT_NEAR(modelled.flops, found.flops, tolerance.flops * found.flops);
  EXPECT_NEAR(modelled.requested_bytes, found.requested_bytes,
              tolerance.requested * found.requested_bytes + tables * found.launches);
  EXPECT_LE(modelled.bytes, modelled.requested_bytes * (1 + 1e-9));
  // Every slot is one operation or two.
  EXPECT_GE(modelled.slots, modelled.flops / 2);
  EXPECT_LE(modelled.slots, modelled.flops);
  EXPECT_LE(modelled.longest_slots, modelled.slots);
  EXPECT_GT(modelled.bytes, 0);
}

/// What the program prints of a card follows from the usual shares.
class PrintedModel : public testing::TestWithParam<Compared> {};

TEST_P(PrintedModel, IsNearWhatTheEmulatorCounts) {
  const auto& [job, sizes] = GetParam();
  const StageWork found = run_of(GetParam()).counted;
  const StageWork printed = sum_of(modelled_work(job, sizes, usual_shares(job, sizes)));
  const Tolerance tolerance = tolerance_of_usual(job);
  EXPECT_EQ(printed.launches, found.launches);
  EXPECT_NEAR(printed.flops, found.flops, tolerance.flops * found.flops);
  EXPECT_NEAR(printed.requested_bytes, found.requested_bytes,
              tolerance.requested * found.requested_bytes + tables * found.launches);
}

std::string name_of_parameter(const testing::TestParamInfo<Compared>& info) { return name_of_case(info.param); }

// In each list one size at a time differs from the first case, so that every power is seen.
INSTANTIATE_TEST_SUITE_P(Fit, ModelledWork,
                         testing::Values(Compared{Job::fit, sizes(64, 1, 3, 1, 1, 2)},
                                         Compared{Job::fit, sizes(150, 1, 3, 1, 1, 2)},
                                         Compared{Job::fit, sizes(64, 1, 20, 1, 1, 2)},
                                         Compared{Job::fit, sizes(64, 1, 3, 1, 1, 5)}),
                         name_of_parameter);
INSTANTIATE_TEST_SUITE_P(
    Dense, ModelledWork,
    testing::Values(Compared{Job::dense, sizes(64, 1000, 3)}, Compared{Job::dense, sizes(97, 1000, 3)},
                    Compared{Job::dense, sizes(64, 2500, 3)}, Compared{Job::dense, sizes(64, 1000, 20)},
                    Compared{Job::dense, sizes(300, 200, 3)}, Compared{Job::dense, sizes(1, 1, 1)}),
    name_of_parameter);
INSTANTIATE_TEST_SUITE_P(Append, ModelledWork,
                         testing::Values(Compared{Job::append, sizes(64, 1000, 3)},
                                         Compared{Job::append, sizes(97, 1000, 3)},
                                         Compared{Job::append, sizes(64, 2500, 3)},
                                         Compared{Job::append, sizes(64, 1000, 20)},
                                         Compared{Job::append, sizes(64, 1000, 3, 1, 40)}),
                         name_of_parameter);
// Above 2,304 entrants a sort is ten launches instead of one.
INSTANTIATE_TEST_SUITE_P(Design, ModelledWork,
                         testing::Values(Compared{Job::design, sizes(1, 1000, 3)},
                                         Compared{Job::design, sizes(1, 5000, 3)},
                                         Compared{Job::design, sizes(1, 1000, 20)}),
                         name_of_parameter);
// Above 384 rows there is a round that drops contenders before they are finished.
INSTANTIATE_TEST_SUITE_P(Pick, ModelledWork,
                         testing::Values(Compared{Job::pick, sizes(64, 2000, 3)},
                                         Compared{Job::pick, sizes(400, 1000, 3)},
                                         Compared{Job::pick, sizes(64, 5000, 3)},
                                         Compared{Job::pick, sizes(64, 2000, 20)}),
                         name_of_parameter);
INSTANTIATE_TEST_SUITE_P(
    Batch, ModelledWork,
    testing::Values(Compared{Job::batch, sizes(64, 2000, 3, 3)}, Compared{Job::batch, sizes(400, 1000, 3, 2)},
                    Compared{Job::batch, sizes(64, 5000, 3, 3)}, Compared{Job::batch, sizes(64, 2000, 20, 3)},
                    Compared{Job::batch, sizes(64, 2000, 3, 8)}, Compared{Job::batch, sizes(64, 2000, 3, 3, 30)},
                    Compared{Job::batch, sizes(300, 1000, 6, 16)}, Compared{Job::batch, sizes(100, 1000, 6, 40)},
                    Compared{Job::batch, sizes(300, 1000, 6, 40)}, Compared{Job::batch, sizes(100, 1000, 6, 64)},
                    Compared{Job::batch, sizes(300, 1000, 6, 64)},
                    Compared{Job::batch, sizes(64, 1000, 3, 2, 4, 4, true)},
                    Compared{Job::batch, sizes(64, 1000, 3, 4, 2, 4, true)}),
    name_of_parameter);
INSTANTIATE_TEST_SUITE_P(Suggest, ModelledWork,
                         testing::Values(Compared{Job::suggest, sizes(64, 2000, 3, 3, 10, 1)},
                                         Compared{Job::suggest, sizes(64, 4000, 6, 2, 10, 1)},
                                         Compared{Job::suggest, sizes(100, 2000, 6, 16, 10, 1)},
                                         Compared{Job::suggest, sizes(300, 1000, 6, 16, 10, 1)},
                                         Compared{Job::suggest, sizes(100, 1000, 6, 64, 10, 1)}),
                         name_of_parameter);
// Sizes that the usual shares were seen at. Few candidates of many rows are finished nearly all.
INSTANTIATE_TEST_SUITE_P(
    Rows, PrintedModel,
    testing::Values(Compared{Job::pick, sizes(100, 10000, 6)}, Compared{Job::pick, sizes(300, 1000, 6)},
                    Compared{Job::pick, sizes(1000, 300, 6)}, Compared{Job::pick, sizes(1600, 300, 6)},
                    Compared{Job::batch, sizes(100, 1000, 6, 4)}, Compared{Job::batch, sizes(100, 1000, 6, 16)},
                    Compared{Job::batch, sizes(100, 10000, 6, 16)}, Compared{Job::batch, sizes(100, 1000, 6, 64)},
                    Compared{Job::batch, sizes(100, 2000, 3, 16)}, Compared{Job::batch, sizes(100, 1000, 20, 16)},
                    Compared{Job::suggest, sizes(100, 1000, 6, 16, 10, 1)},
                    Compared{Job::suggest, sizes(100, 10000, 6, 16, 10, 1)}),
    name_of_parameter);

}  // namespace
}  // namespace carbo::bench
