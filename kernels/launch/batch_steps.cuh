#pragma once

#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/contender_view.hpp"
#include "device/device_views.hpp"

namespace carbo::kernels {

/// All that the host reads of one pick of a batch.
struct PickRecord {
  PickState state;
  double incumbent;  ///< mean of what improvement was measured from
};

/// What a round lasts, see AcquisitionSpec, and what a pick may lengthen it by.
struct RoundLength {
  double* log_cost = nullptr;         ///< null where the pick joins none
  const double* log_costs = nullptr;  ///< of all candidates; null where cost does not enter
  bool begins = false;                ///< `before` is what it lasts
  double before = 0;
};

/// Keeps a pick: its state in `record`, its coordinates in `point` (where nothing was picked, those of candidate 0),
/// and where `mask` is not null it may not be picked again. The round lasts as long as it.
cudaError_t launch_take_pick(cudaStream_t stream, const CandidateView& candidates, const PickState* state,
                             const RoundLength& round, std::uint8_t* mask, PickRecord* record, double* point);

/// What improvement is measured from, `count` values, and their mean in `record`, summed in their order. Where
/// `values` is given, the values of the pick in `before` as they were fantasised, lower ones take the place of what
/// is there; not where nothing was picked.
cudaError_t launch_follow_incumbents(cudaStream_t stream, const PickRecord* before, const double* values,
                                     double* incumbents, int count, PickRecord* record);

void add_batch_kernels(std::vector<const void*>& kernels);

}  // namespace carbo::kernels
