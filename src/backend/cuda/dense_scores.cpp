#include "backend/cuda/dense_scores.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "launch/scores.cuh"

namespace carbo::internal {
namespace {

/// Candidates whose scores are on the device at once.
constexpr std::size_t scores_at_once = std::size_t{1} << 20;

const CudaField& own_field(const Context& context, const Field* field, const char* what) {
  const auto* own = dynamic_cast<const CudaField*>(field);
  if (own == nullptr || &own->context() != &context)
    throw InvalidOptions(std::string("score: ") + what + " does not belong to the cuda backend");
  return *own;
}

}  // namespace

void DenseScores::check(const CudaCandidates& candidates, const ScoreRequest& request) const {
  if (request.objective.empty()) throw InvalidOptions("score: at least one objective member is needed");
  std::size_t fantasies = 0;
  for (const Member& member : request.objective) {
    const CudaField& field = own_field(*context_, member.field, "the objective's field");
    check_size(field.size(), candidates.size(), "score, candidates of the objective's field");
    if (!field.has_variance()) throw InvalidOptions("score: the objective's field must be swept with its variance");
    fantasies += field.means();
  }
  check_incumbents(request.incumbents, fantasies);
  check_acquisition(request.acquisition);
  if (request.log_cost == nullptr) return;
  const CudaField& log_cost = own_field(*context_, request.log_cost, "the log cost's field");
  check_size(log_cost.size(), candidates.size(), "score, candidates of the log cost's field");
  check_has_values(log_cost, "score, log cost");
}

kernels::ScoreView DenseScores::make_view(const CudaCandidates& candidates, const ScoreRequest& request,
                                          PackedBlock& tables) const {
  std::vector<kernels::ScoreMember> members;
  for (const Member& member : request.objective) {
    const auto& field = static_cast<const CudaField&>(*member.field);
    members.push_back({field.mean_row(0), field.bases(), field.reductions(), field.stride(),
                       static_cast<int>(field.means()), field.floor()});
  }
  const std::size_t members_at = tables.add<kernels::ScoreMember>(members);
  const std::size_t incumbents_at = tables.add(request.incumbents);
  const std::size_t extremes_at = tables.add(kernels::extremes_of(request.acquisition));
  tables.upload(*context_);
  kernels::ScoreView view;
  view.members = tables.at<const kernels::ScoreMember>(members_at);
  view.member_count = static_cast<int>(members.size());
  view.fantasies = static_cast<int>(request.incumbents.size());
  view.incumbents = tables.at<const double>(incumbents_at);
  view.mask = candidates.mask();
  view.acquisition = request.acquisition;
  if (request.acquisition.extremes != nullptr) view.acquisition.extremes = tables.at<const double>(extremes_at);
  view.log_cost_limit = request.log_cost_limit;
  if (request.log_cost != nullptr) {
    const auto& log_cost = static_cast<const CudaField&>(*request.log_cost);
    view.log_cost = log_cost.mean_row(0);
    view.log_cost_bases = log_cost.bases();
    view.log_cost_reductions = log_cost.reductions();
    view.log_cost_floor = log_cost.floor();
  }
  return view;
}

BestTwo DenseScores::best(const CudaCandidates& candidates, const ScoreRequest& request) const {
  check(candidates, request);
  const DeviceScope scope(*context_);
  PackedBlock tables;
  const kernels::ScoreView view = make_view(candidates, request, tables);
  auto partials = context_->buffer<kernels::BestTwo>(kernels::best_partials);
  auto state = context_->buffer<kernels::PickState>(1);
  context_->check(kernels::launch_best(context_->stream(), view, candidates.size(), partials.data(), state.data()),
                  "finding the best candidate");
  const kernels::BestTwo found = context_->download_one(&state.data()->best);
  const auto scored = [&](int place) {
    const std::uint32_t index = found.index[place];
    return Scored{index == kernels::no_candidate ? Scored::none : std::size_t{index}, found.score[place]};
  };
  return {scored(0), scored(1)};
}

void DenseScores::scores(const CudaCandidates& candidates, const ScoreRequest& request, std::span<double> out) const {
  check(candidates, request);
  check_size(out.size(), candidates.size(), "scores, room");
  const DeviceScope scope(*context_);
  PackedBlock tables;
  const kernels::ScoreView view = make_view(candidates, request, tables);
  auto part = context_->buffer<double>(std::min(out.size(), scores_at_once));
  for (std::size_t first = 0; first < out.size(); first += scores_at_once) {
    const std::size_t count = std::min(scores_at_once, out.size() - first);
    context_->check(kernels::launch_scores(context_->stream(), view, first, count, part.data()),
                    "scoring all candidates");
    context_->download(out.subspan(first, count), part.data());
  }
}

template <class Real>
void DenseScores::write(const CudaCandidates& candidates, const ScoreRequest& request, Real* to) const {
  check(candidates, request);
  const DeviceScope scope(*context_);
  PackedBlock tables;
  const kernels::ScoreView view = make_view(candidates, request, tables);
  context_->check(kernels::launch_scores(context_->stream(), view, 0, candidates.size(), to),
                  "scoring all candidates");
}

template void DenseScores::write(const CudaCandidates&, const ScoreRequest&, double*) const;
template void DenseScores::write(const CudaCandidates&, const ScoreRequest&, float*) const;

}  // namespace carbo::internal
