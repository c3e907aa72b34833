#pragma once

#include <initializer_list>
#include <vector>

#include "bench/backends/model_kernels.hpp"

/// Stages of a search, which several jobs share.
namespace carbo::bench::device_work {

inline StageWork stage(const char* name, std::initializer_list<StageWork> parts) {
  StageWork sum{.stage = name};
  for (const StageWork& part : parts) sum += part;
  return sum;
}

inline Shape shape_of(const JobSizes& sizes) {
  return {static_cast<double>(sizes.n), static_cast<double>(sizes.m), static_cast<double>(sizes.d)};
}

/// Tables of a pass over all candidates.
inline StageWork sweep_tables(bool with_variance) { return uploaded(with_variance ? 312 : 176); }

/// Picks of one search, with what it found.
struct BatchSizes {
  Shape shape;
  double picks = 1;
  double members = 1;
  double fantasies = 1;  ///< over all members
  double finished = 0;   ///< candidates, in all picks
  double refreshed = 0;  ///< candidates, in all picks
  double rows = 0;       ///< Σ rows² of substitution
  Screened screened;

  double later() const { return picks - 1; }
  /// Whether the objective's means are, so that variances may be, too.
  bool in_float32() const { return screened.objective && !screened.in_pairs; }
  double blocks() const;
  double chunks() const;
  double blocks_of_lists() const { return blocks_of_list(shape.m, members); }
  Scoring later_scoring() const { return {members, fantasies / members}; }
};

/// Whether a search of this size looks whether float32 would do.
bool is_screened(const Shape& shape);
BatchSizes batch_of(const JobSizes& sizes, const PickShares& shares, double picks);

std::vector<StageWork> pick_stages(const BatchSizes& b);
/// Picks in one sequence, whose points are fantasised, taken out and followed by the incumbents on the device, and
/// read back at its end.
std::vector<StageWork> batch_stages(const BatchSizes& b);
/// The best candidate by EI per cost, which says whether going on pays: one more look before the first pick, whose
/// own has finished most of what this one finds.
StageWork worth_stage(const JobSizes& sizes);

}  // namespace carbo::bench::device_work
