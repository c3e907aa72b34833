#include "launch/batch_steps.cuh"

#include "device/covariance_tile.cuh"

namespace carbo::kernels {
namespace {

constexpr int batch_threads = 128;

__global__ void __launch_bounds__(batch_threads) take_pick(CandidateView candidates, const PickState* state,
                                                           RoundLength round, std::uint8_t* mask, PickRecord* record,
                                                           double* point) {
  const std::uint32_t picked = state->best.index[0];
  const std::size_t row = picked == no_candidate ? 0 : picked;
  for (int c = static_cast<int>(threadIdx.x); c < candidates.columns; c += batch_threads)
    point[c] = coordinate(candidates, row, c);
  if (threadIdx.x != 0) return;
  record->state = *state;
  if (mask != nullptr && picked != no_candidate) mask[picked] = 0;
  if (round.log_cost == nullptr) return;
  const double before = round.begins ? round.before : *round.log_cost;
  const bool lengthens = round.log_costs != nullptr && picked != no_candidate && before < round.log_costs[picked];
  *round.log_cost = lengthens ? round.log_costs[picked] : before;
}

__global__ void __launch_bounds__(batch_threads)
    follow_incumbents(const PickRecord* before, const double* values, double* incumbents, int count,
                      PickRecord* record) {
  const bool follows = values != nullptr && before->state.best.index[0] != no_candidate;
  for (int i = static_cast<int>(threadIdx.x); follows && i < count; i += batch_threads)
    if (values[i] < incumbents[i]) incumbents[i] = values[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += incumbents[i];
  record->incumbent = sum / count;
}

}  // namespace

cudaError_t launch_take_pick(cudaStream_t stream, const CandidateView& candidates, const PickState* state,
                             const RoundLength& round, std::uint8_t* mask, PickRecord* record, double* point) {
  take_pick<<<1, batch_threads, 0, stream>>>(candidates, state, round, mask, record, point);
  return cudaGetLastError();
}

cudaError_t launch_follow_incumbents(cudaStream_t stream, const PickRecord* before, const double* values,
                                     double* incumbents, int count, PickRecord* record) {
  follow_incumbents<<<1, batch_threads, 0, stream>>>(before, values, incumbents, count, record);
  return cudaGetLastError();
}

void add_batch_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(take_pick));
  kernels.push_back(reinterpret_cast<const void*>(follow_incumbents));
}

}  // namespace carbo::kernels
