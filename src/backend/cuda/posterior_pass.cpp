#include "backend/cuda/posterior_pass.hpp"

#include <algorithm>

#include "backend/cuda/packed_block.hpp"
#include "formulas/variance_floor.hpp"
#include "launch/responses.cuh"

namespace carbo::internal {
namespace {

/// Blocks of threads a multiprocessor that lists are worked on with, and how many there are at most.
constexpr std::size_t blocks_per_multiprocessor = 2;
constexpr std::size_t most_blocks = 256;
/// Tiles of candidates, by factor, that are under way at once: half of them, 1,024 candidates of one factor, give
/// thousands of steps to take. Their workspace stays small against many candidates.
constexpr std::size_t most_slots = 64;

std::size_t tiles_of(std::size_t candidates) {
  return (candidates + kernels::substitution_block - 1) / kernels::substitution_block;
}

std::size_t resident_blocks(const Context& context, std::size_t candidates, std::size_t factors) {
  const std::size_t useful = tiles_of(candidates);
  const std::size_t busy = blocks_per_multiprocessor * static_cast<std::size_t>(context.multiprocessors());
  return std::max<std::size_t>(1, std::min(useful, std::min(busy, most_blocks) / factors));
}

double floor_of(const CudaFactor& factor, std::size_t rows) {
  return kernels::variance_floor(factor.parameters().signal_variance, static_cast<double>(rows));
}

}  // namespace

SubstitutionRoom::SubstitutionRoom(const Context& context, std::size_t candidates, std::size_t rows,
                                   std::size_t factors)
    : resident_(static_cast<int>(resident_blocks(context, candidates, factors))),
      slots_(static_cast<int>(std::min(most_slots, 2 * factors * std::max<std::size_t>(1, tiles_of(candidates))))),
      blocks_(static_cast<int>(blocks_per_multiprocessor) * context.multiprocessors()),
      workspace_(context.buffer<double>(static_cast<std::size_t>(slots_) * kernels::substitution_workspace(rows))),
      progress_(context.buffer<unsigned>(kernels::substitution_progress(rows, static_cast<std::size_t>(slots_)))) {
  context.check(cudaMemsetAsync(progress_.data(), 0, progress_.size() * sizeof(unsigned), context.stream()),
                "room for variances");
}

void add_pass(const CudaFactor& factor, const kernels::PosteriorTask& task,
              std::vector<kernels::PosteriorTask>& tasks) {
  tasks.push_back(task);
  if (!factor.has_background() || task.means == nullptr) return;
  kernels::PosteriorTask& background = tasks.back();
  background.gp = factor.background_view();
  background.shift = 0;
  background.target = {};
  background.inverse_blocks = nullptr;
  tasks.push_back(task);
  tasks.back().offset = task.means;
}

std::unique_ptr<CudaField> sweep_candidates(const std::shared_ptr<const Context>& context, const CudaFactor& factor,
                                            const CudaCandidates& candidates, bool with_variance, Affine units,
                                            const CudaField* offset) {
  auto field = std::make_unique<CudaField>(context, candidates.size(), with_variance);
  const double squared_scale = units.scale * units.scale;
  field->set_floor(squared_scale * floor_of(factor, factor.observed()));
  kernels::PosteriorTask means;
  means.gp = factor.view();
  means.means = field->mean_row(0);
  means.offset = offset == nullptr ? nullptr : offset->mean_row(0);
  means.shift = units.shift;
  means.scale = units.scale;
  kernels::SubstitutionTask variance;
  variance.gp = factor.view();
  variance.target = {field->bases(), nullptr, squared_scale};
  if (with_variance) variance.inverse_blocks = factor.enqueue_inverse();
  std::vector<kernels::PosteriorTask> passes;
  add_pass(factor, means, passes);
  const double correlations = static_cast<double>(factor.observed()) * correlation_slots(candidates.view().columns);
  const double products = 0.5 * static_cast<double>(factor.observed()) * static_cast<double>(factor.observed());
  const std::size_t part = context->launch_part(correlations + products);
  std::vector<kernels::SubstitutionTask> variances;
  in_parts(with_variance ? candidates.size() : 0, part, [&](std::size_t first, std::size_t) {
    variances.push_back(variance);
    variances.back().target.bases += first;
  });
  PackedBlock tasks;
  const std::size_t means_at = tasks.add(std::span<const kernels::PosteriorTask>(passes));
  const std::size_t variances_at = tasks.add(std::span<const kernels::SubstitutionTask>(variances));
  tasks.upload(*context);
  context->check(
      kernels::launch_posterior(context->stream(), candidates.view(),
                                tasks.at<const kernels::PosteriorTask>(means_at), static_cast<int>(passes.size()), {},
                                false, context->launch_part(correlations * static_cast<double>(passes.size()))),
      "the means of all candidates");
  if (!with_variance) return field;
  SubstitutionRoom room(*context, candidates.size(), factor.observed(), 1);
  const kernels::SubstitutionTask* task = tasks.at<const kernels::SubstitutionTask>(variances_at);
  in_parts(candidates.size(), part, [&](std::size_t first, std::size_t count) {
    context->check(kernels::launch_substitution(context->stream(), part_of(candidates.view(), first, count),
                                                {nullptr, nullptr, count}, task++, 1,
                                                static_cast<int>(factor.observed()), room.view(), nullptr),
                   "the variances of all candidates");
  });
  return field;
}

std::vector<double> fantasise_members(const Context& context, std::span<const CudaMember> members,
                                      const CudaCandidates& candidates, std::span<const double> point,
                                      std::span<const double> normals) {
  const std::size_t per_member = normals.size() / members.size();
  auto values = context.buffer<double>(normals.size());
  std::vector<CudaFactor*> factors;
  for (const CudaMember& member : members) {
    if (!member.field->conditioned()) member.field->spread(per_member);
    factors.push_back(member.factor);
  }
  const std::size_t before = factors.front()->fantasised();
  FantasySequence(context, factors, 1, normals, {point.data(), 1, point.size()}).enqueue(nullptr, values.data());
  const double rows = static_cast<double>(members.front().factor->rows());
  const double slots = rows * (correlation_slots(candidates.view().columns) + kernels::substitution_block);
  const std::size_t part = context.launch_part(static_cast<double>(members.size()) * slots);
  std::vector<kernels::ResponseTask> tasks;
  in_parts(candidates.size(), part, [&](std::size_t first, std::size_t) {
    for (const CudaMember& member : members) {
      member.field->set_floor(floor_of(*member.factor, member.factor->rows()));
      tasks.push_back({member.factor->view(),
                       member.field->mean_row(0) + first,
                       member.field->reductions() + first,
                       nullptr,
                       member.field->stride(),
                       {}});
    }
  });
  std::vector<double> result(normals.size());
  try {
    PackedBlock block;
    const std::size_t at = block.add(std::span<const kernels::ResponseTask>(tasks));
    block.upload(context);
    const kernels::ResponseTask* task = block.at<const kernels::ResponseTask>(at);
    in_parts(candidates.size(), part, [&](std::size_t first, std::size_t count) {
      const std::size_t useful = (count + kernels::substitution_block - 1) / kernels::substitution_block;
      const std::size_t resident = std::min<std::size_t>(useful, std::size_t{1} << 16);
      context.check(kernels::launch_responses(context.stream(), part_of(candidates.view(), first, count),
                                              {nullptr, nullptr, count}, task, static_cast<int>(members.size()),
                                              static_cast<int>(resident), nullptr),
                    "the responses of all candidates");
      task += members.size();
    });
  } catch (...) {
    for (CudaFactor* factor : factors) factor->keep_fantasies(before);
    throw;
  }
  context.download(std::span<double>(result), values.data());
  return result;
}

}  // namespace carbo::internal
