#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <carbo/error.hpp>

#include "bench/backends/model_kernels.hpp"
#include "bench/support/problem.hpp"
#include "bench/support/scene.hpp"
#include "support/environment.hpp"
#include "support/modelled_jobs.hpp"

// The formulas of the model, of stages and of first looks in low precision, against what the emulator counts; and the
// time that follows from them on a card.
namespace carbo::bench {
namespace {

/// The same where means are bounded in float32 first: how many become exact, and what these have missed, is not told.
Tolerance tolerance_of_screens(Job job) {
  if (job == Job::batch) return {0.3, 0.3, 0.3};
  return {0.05, 0.1, 0.02};
}

/// Stages whose calls can be made one after the other are counted one by one.
TEST(ModelledStages, OfAllScoresAreWhatTheEmulatorCounts) {
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  const JobSizes sizes{.n = 97, .m = 1000, .d = 3};
  const Problem problem(DataSet::late, sizes.n, sizes.m, sizes.d);
  carbo::BackendOptions options;
  options.kind = carbo::BackendKind::cuda;
  const Scene scene(problem, {.backend = options});
  std::vector<StageWork> found;
  for (int run = 0; run < 2; ++run) {  // memory that is kept for reuse is made in the first
    found.clear();
    emulator_reset_counters();
    const auto take = [&] {
      found.push_back(counted());
      emulator_reset_counters();
    };
    const auto objective = scene.backend().sweep(scene.objective_factor(), scene.candidates(), true);
    take();
    const auto log_cost = scene.log_cost_field();
    take();
    static_cast<void>(scene.dense_scores(*objective, *log_cost));
    take();
  }
  const std::vector<StageWork> stages = modelled_work(Job::dense, sizes, {});
  ASSERT_EQ(stages.size(), 4u);
  const std::vector<StageWork> modelled = {sum_of({stages[0], stages[1]}), stages[2], stages[3]};
  const Tolerance tolerance = tolerance_of(Job::dense);
  constexpr double regimes = 0.01;  // of log h, which depend on the candidates
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(modelled[i].launches, found[i].launches) << i;
    EXPECT_NEAR(modelled[i].flops, found[i].flops, (i == 2 ? regimes : tolerance.flops) * found[i].flops) << i;
    EXPECT_NEAR(modelled[i].requested_bytes, found[i].requested_bytes, tolerance.requested * found[i].requested_bytes)
        << i;
  }
}

struct Screening {
  carbo::internal::Precision precision;
  JobSizes sizes;
};

/// Searches of sizes that would not be screened by themselves: `pick`, or a batch of as many.
class ModelledScreens : public testing::TestWithParam<Screening> {};

TEST_P(ModelledScreens, AreWhatTheEmulatorCounts) {
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  const auto& [precision, sizes] = GetParam();
  const bool in_pairs = precision == carbo::internal::Precision::float_pairs;
  const Job job = sizes.b == 1 ? Job::pick : Job::batch;
  const Problem problem(DataSet::late, sizes.n, sizes.m, sizes.d);
  carbo::BackendOptions options;
  options.kind = carbo::BackendKind::cuda;
  Scene scene(problem, {.backend = options, .fantasies = sizes.fantasies});
  carbo::internal::SearchWork work;
  for (int run = 0; run < 2; ++run) {  // memory that is kept for reuse is made in the first
    scene.renew_candidates();
    emulator_reset_counters();
    work = (job == Job::pick ? scene.one_pick(precision) : scene.batch(sizes.b, precision)).work;
  }
  const StageWork found = counted();
  const double m = static_cast<double>(sizes.m), picks = static_cast<double>(sizes.b);
  const PickShares shares{.finished = static_cast<double>(work.finished) / (m * picks),
                          .refreshed = static_cast<double>(work.refreshed) / (m * std::max(1.0, picks - 1)),
                          .rows = work.rows / picks,
                          .screened = static_cast<double>(work.screened) / m,
                          .in_pairs = in_pairs,
                          .pairs_possible = in_pairs};
  EXPECT_EQ(shares.screened, 2);
  const StageWork modelled = sum_of(modelled_work(job, sizes, shares));
  EXPECT_EQ(modelled.launches, found.launches);
  EXPECT_EQ(modelled.library_calls, found.library_calls);
  EXPECT_EQ(modelled.waits, found.waits);
  EXPECT_EQ(modelled.bytes_to_device, found.bytes_to_device);
  EXPECT_EQ(modelled.bytes_to_host, found.bytes_to_host);
  const Tolerance tolerance = tolerance_of_screens(job);
  EXPECT_NEAR(modelled.flops, found.flops, tolerance.flops * found.flops);
  EXPECT_NEAR(modelled.float32_flops, found.float32_flops, tolerance.float32 * found.float32_flops);
  EXPECT_NEAR(modelled.requested_bytes, found.requested_bytes,
              tolerance.requested * found.requested_bytes + tables * found.launches);
  EXPECT_LE(modelled.bytes, modelled.requested_bytes * (1 + 1e-9));
  EXPECT_LE(modelled.longest_float32_slots, modelled.float32_slots);
}

/// The first sweep of a factor makes its inverse, and later ones find it.
TEST(ModelledStages, OfAnInverseAreWhatTheFirstSweepMakesBesides) {
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
  carbo::BackendOptions options;
  options.kind = carbo::BackendKind::cuda;
  for (const std::size_t n : {1, 32, 97, 200}) {
    const Problem problem(DataSet::late, n, 100, 3);
    const Scene scene(problem, {.backend = options});
    const auto swept = [&] {
      emulator_reset_counters();
      static_cast<void>(scene.backend().sweep(scene.objective_factor(), scene.candidates(), true));
      return counted();
    };
    const StageWork first = swept(), later = swept();
    const StageWork modelled = device_work::inverse(static_cast<double>(n));
    EXPECT_EQ(modelled.launches, first.launches - later.launches) << n;
    EXPECT_NEAR(modelled.flops, first.flops - later.flops, 0.002 * modelled.flops) << n;
    EXPECT_NEAR(modelled.requested_bytes, first.requested_bytes - later.requested_bytes,
                0.04 * modelled.requested_bytes)
        << n;
    EXPECT_LE(modelled.longest_slots, modelled.slots);
  }
}

constexpr auto float32 = carbo::internal::Precision::float32, pairs = carbo::internal::Precision::float_pairs;
INSTANTIATE_TEST_SUITE_P(
    Searches, ModelledScreens,
    testing::Values(Screening{float32, sizes(64, 2000, 3)}, Screening{float32, sizes(400, 1000, 3)},
                    Screening{float32, sizes(64, 2000, 20)}, Screening{float32, sizes(64, 2000, 3, 3)},
                    Screening{float32, sizes(300, 1000, 6, 8)}, Screening{pairs, sizes(64, 2000, 3)},
                    Screening{pairs, sizes(96, 2000, 6)}, Screening{pairs, sizes(64, 2000, 20)},
                    Screening{pairs, sizes(64, 2000, 3, 3)}, Screening{pairs, sizes(160, 1000, 6, 8)}),
    [](const auto& info) {
      return (info.param.precision == pairs ? "in_pairs_" : "") + name_of_case({Job::pick, info.param.sizes});
    });
/// The formula worked out by hand.
TEST(ModelledSeconds, AddsWhatTakesTurns) {
  const Card card{"a card", 1e12, 4e12, 1e11, 1e10, 2e-6, 3e-6, 10, 5e-8, "made up"};
  StageWork work;
  work.flops = 1e12;                 // takes no time of its own
  work.slots = 2e9;                  // 4 ms
  work.longest_slots = 5e6;          // 0.1 ms, on one of ten multiprocessors
  work.float32_slots = 2e9;          // 1 ms
  work.longest_float32_slots = 1e7;  // 0.05 ms
  work.bytes = 1e8;                  // 1 ms, beside the arithmetic
  work.launches = 100;               // 0.2 ms
  work.library_calls = 50;           // 0.1 ms
  work.dependent_rows = 2000;        // 0.1 ms
  work.bytes_to_device = 6e6;        // 0.6 ms
  work.bytes_to_host = 4e6;          // 0.4 ms
  work.waits = 100;                  // 0.3 ms
  work.requested_bytes = 1e12;       // takes no time of its own
  EXPECT_NEAR(modelled_seconds(work, card), 6.85e-3, 1e-12);
  work.bytes = 1e9;  // 10 ms: memory is the longer one
  EXPECT_NEAR(modelled_seconds(work, card), 11.85e-3, 1e-12);
  EXPECT_EQ(modelled_seconds({}, card), 0);
}

TEST(KnownCards, AreFoundByName) {
  EXPECT_GE(known_cards().size(), 3u);
  for (const Card& card : known_cards()) {
    EXPECT_EQ(&card_by_name(card.name), &card);
    EXPECT_FALSE(card.source.empty());
    for (const double figure : {card.flops, card.float32_flops, card.bandwidth, card.link, card.launch_seconds,
                                card.wait_seconds, card.multiprocessors, card.row_seconds})
      EXPECT_TRUE(std::isfinite(figure) && figure > 0) << card.name;
  }
  try {
    card_by_name("abacus");
    FAIL() << "a card that nobody has made";
  } catch (const carbo::InvalidOptions& error) {
    EXPECT_NE(std::string(error.what()).find(known_cards().front().name), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace carbo::bench
