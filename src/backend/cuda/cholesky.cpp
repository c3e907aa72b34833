#include "backend/cuda/cholesky.hpp"

#include <algorithm>
#include <cstdint>

#include "backend/cuda_sizes.hpp"

namespace carbo::internal {
namespace {

/// Matrices that are factored beside each other: one of a few hundred rows leaves most of a device idle.
constexpr std::size_t most_lanes = 4;

std::size_t lanes_for(std::size_t count) { return std::min(most_lanes, std::max<std::size_t>(1, count)); }

}  // namespace

Cholesky::~Cholesky() {
  if (!under_way_) return;
  for (std::size_t lane = 1; lane < lanes_; ++lane)
    ignore_failure(cudaStreamSynchronize(context_->lane(lane - 1).stream()));
  ignore_failure(cudaStreamSynchronize(context_->stream()));
}

Cholesky::Need Cholesky::need_of(const Context& context, std::size_t rows, std::size_t stride) {
  constexpr std::size_t alignment = 256;
  Need need;
  context.check(
      cusolverDnXpotrf_bufferSize(context.solver(), context.solver_parameters(), CUBLAS_FILL_MODE_LOWER,
                                  static_cast<std::int64_t>(rows), CUDA_R_64F, nullptr,
                                  static_cast<std::int64_t>(stride), CUDA_R_64F, &need.on_device, &need.on_host),
      "cusolverDnXpotrf_bufferSize");
  need.on_device = (need.on_device + alignment - 1) / alignment * alignment;
  return need;
}

std::size_t Cholesky::workspace_bytes(const Context& context, std::size_t rows, std::size_t stride,
                                      std::size_t count) {
  const std::size_t bytes = lanes_for(count) * need_of(context, rows, stride).on_device;
  return bytes + (bytes + block_parts - 1) / block_parts;
}

void Cholesky::plan(std::size_t rows, std::size_t stride, std::size_t count) {
  const std::size_t lanes = lanes_for(count);
  if (rows_ == rows && stride_ == stride && count_ >= count) return;
  if (under_way_) {
    context_->synchronise();
    settled();
  }
  for (std::size_t lane = 1; lane < lanes; ++lane) context_->lane(lane - 1);  // made before anything is under way
  const Need need = need_of(*context_, rows, stride);
  workspace_ = {};
  workspace_ = context_->buffer<std::byte>(lanes * need.on_device);
  host_workspace_.resize(count * need.on_host);
  rows_ = rows;
  stride_ = stride;
  count_ = count;
  lanes_ = lanes;
  need_ = need;
}

void Cholesky::factorise_one(std::size_t k, std::size_t lane, double* matrix, int* info) {
  const cusolverDnHandle_t solver = lane == 0 ? context_->solver() : context_->lane(lane - 1).solver();
  context_->check(
      cusolverDnXpotrf(solver, context_->solver_parameters(), CUBLAS_FILL_MODE_LOWER,
                       static_cast<std::int64_t>(rows_), CUDA_R_64F, matrix, static_cast<std::int64_t>(stride_),
                       CUDA_R_64F, workspace_.data() + lane * need_.on_device, need_.on_device,
                       host_workspace_.data() + k * need_.on_host, need_.on_host, info),
      "cusolverDnXpotrf");
}

void Cholesky::factorise(std::span<double* const> matrices, int* infos) {
  const std::size_t lanes = std::min(lanes_, lanes_for(matrices.size()));
  under_way_ = true;
  for (std::size_t lane = 1; lane < lanes; ++lane)
    context_->check(context_->lane(lane - 1).fork_from(context_->stream()),
                    "beginning to factor on a stream of its own");
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const std::size_t lane = k % lanes;
    factorise_one(k, lane, matrices[k], infos + k);
  }
  for (std::size_t lane = 1; lane < lanes; ++lane)
    context_->check(context_->lane(lane - 1).join_to(context_->stream()), "waiting for factors");
}

}  // namespace carbo::internal
