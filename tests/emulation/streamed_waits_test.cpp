#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "emulator_control.h"
#include "support/cuda_pair.hpp"
#include "support/streaming_scene.hpp"

// How often a batch waits whose candidates are streamed through the device.
namespace carbo::internal {
namespace {

constexpr std::size_t rows = 1200;

/// All that a batch of a stream tells, and how often it waited for the device.
struct Streamed {
  std::vector<double> picks;  ///< row, score, runner-up's, incumbent of each; then row and score of what is beside
  unsigned long long waits = 0;
};

struct Asking {
  bool in_a_round = false;
  bool looks_beside = false;
  bool strict = false;
};

Streamed batch(test::StreamingScene& scene, std::size_t rows_of_tile, std::size_t count, const Asking& asking) {
  Streamed streamed;
  scene.search(rows_of_tile, [&](FantasyEnsemble& ensemble) {
    BatchRequest request;
    request.count = count;
    request.acquisition.parameter = 0.5;
    request.repeats = true;
    std::vector<double> point, beside;
    if (asking.in_a_round) request.together = count;
    if (asking.strict) request.limit.of_next = [] { return 5.0; };
    if (asking.looks_beside) {
      request.beside = kernels::AcquisitionSpec{Acquisition::ei_per_cost};
      request.go_on = [&](const Scored& best) {
        beside = {static_cast<double>(best.index), best.score};
        return true;
      };
    }
    request.take = [&](const PickedRow& picked) -> std::span<const double> {
      streamed.picks.insert(streamed.picks.end(), {static_cast<double>(picked.best.index), picked.best.score,
                                                   picked.runner_up_score.value_or(-1e9), picked.incumbent});
      return point = scene.row(picked.best.index);
    };
    const auto before = emulator_counter("synchronisations");
    EXPECT_EQ(ensemble.pick(request, 7), BatchEnd::complete);
    streamed.waits = emulator_counter("synchronisations") - before;
    streamed.picks.insert(streamed.picks.end(), beside.begin(), beside.end());
  });
  return streamed;
}

/// Whatever a pick is asked for: its log cost for the round, and what is looked for beside it, come with it. Rows
/// that are copied to a tile, and features of its costs, would wait for room in page-locked memory besides.
TEST(CudaStreamedWaits, OnceATileOfEveryPassAndOnceAFantasisedPoint) {
  const auto backend = cuda_pair::cuda();
  test::StreamingScene scene(*backend, test::sobol_sample(rows, 0.0), CostModelKind::log_gp);
  batch(scene, rows, 1, {});  // factors come to what a batch finds
  constexpr std::size_t picks = 3, tiles = 4;
  for (const Asking& asking : {Asking{},
                               {.in_a_round = true},
                               {.looks_beside = true},
                               {.in_a_round = true, .looks_beside = true, .strict = true}}) {
    SCOPED_TRACE(testing::Message() << asking.in_a_round << asking.looks_beside << asking.strict);
    const Streamed whole = batch(scene, rows, picks, asking), parted = batch(scene, rows / tiles, picks, asking);
    EXPECT_EQ(whole.picks.size(), 4 * picks + (asking.looks_beside ? 2 : 0));
    EXPECT_EQ(parted.picks, whole.picks);
    EXPECT_EQ(whole.waits, picks + (picks - 1));
    EXPECT_EQ(parted.waits, picks * tiles + (picks - 1));
  }
}

}  // namespace
}  // namespace carbo::internal
