#pragma once

#include <cstddef>
#include <string>

#include "bench/support/scene.hpp"
#include "bench/support/timing.hpp"

namespace carbo::bench {

/// What a job is measured on.
struct JobSize {
  DataSet data = DataSet::late;
  std::size_t n = 1000;
  std::size_t m = 0;
  int repeats = 0;
  bool dense_in_full = false;  ///< the dense pass at m itself, however long it takes
};

/// Medians of one pick, in float64 and as it is chosen, and of a batch, timed in turn, and the batch's picks.
struct BatchTimes {
  Timing float64_pick;
  Timing one_pick;
  Timing batch;
  Picks picks;
};
BatchTimes time_batch(const Problem& problem, std::size_t batch, int repeats);

/// Each prints one line a call: figures beside the bars that they are held against, which are for `late`.
void pick_against_matern_pass(const JobSize& size);
void pick_against_dense_pass(const JobSize& size);
/// A constant objective under much noise, where bounds rule out few: what the search then costs more than the dense
/// pass.
void flat_against_dense_pass(const JobSize& size);
void batch_against_pick(const JobSize& size, std::size_t batch, double bar);
/// A pick whose means are looked at in float32 first, against one in float64 throughout, as the noise of both GPs
/// falls and float32's margin grows.
void float32_by_noise(const JobSize& size);

/// One pick by an Optimizer with a gibibyte, from a pool that it generates tile by tile.
void pick_from_streamed_pool(const JobSize& size);

/// Writes what a peer needs to make the same batch into `folder`, then makes it here and prints key=value lines.
void batch_for_peer(const JobSize& size, std::size_t batch, const std::string& folder);

}  // namespace carbo::bench
