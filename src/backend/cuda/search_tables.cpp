#include <algorithm>
#include <cmath>
#include <string>

#include <carbo/error.hpp>

#include "acquisition/proof.hpp"
#include "backend/checks.hpp"
#include "backend/cuda/search.hpp"
#include "backend/jitter_policy.hpp"
#include "launch/fields.cuh"

namespace carbo::internal {
namespace {

/// Fantasised points that there is room for at first.
constexpr std::size_t first_points = 64;
constexpr std::size_t most_seeds = 256;
constexpr int list_blocks_per_multiprocessor = 4;

double usual_error(const CudaFactor& factor) {
  const GpParameters& parameters = factor.parameters();
  return kernels::usual_response_error(parameters.signal_variance, parameters.noise_variance,
                                       static_cast<double>(factor.rows()), fantasy_pivot);
}

}  // namespace

CudaSearch::CudaSearch(std::shared_ptr<const Context> context, const CudaCandidates& candidates,
                       const SearchSetup& setup, double ceiling_shift)
    : context_(std::move(context)),
      candidates_(candidates),
      fantasies_(checked_fantasies(setup)),
      precision_(setup.precision),
      margin_share_(setup.margin_share),
      ceiling_shift_(ceiling_shift) {
  const DeviceScope scope(*context_);
  for (GpFactor* factor : setup.factors) {
    auto* own = dynamic_cast<CudaFactor*>(factor);
    if (own == nullptr || &own->context() != context_.get())
      throw InvalidOptions("search: the factor does not belong to the cuda backend");
    check_size(candidates.columns(), own->columns(), "search, columns of the candidates");
    const std::size_t points = factors_.empty() ? own->fantasised() : factors_.front()->fantasised();
    check_size(own->fantasised(), points, "search, fantasised points of a factor");
    if (points > 0) check_size(own->fantasies(), fantasies_ / setup.factors.size(), "search, fantasies of a factor");
    check_size(own->observed(), factors_.empty() ? own->observed() : factors_.front()->observed(),
               "search, observed points of a factor");
    factors_.push_back(own);
  }
  if (setup.log_cost != nullptr) {
    log_cost_ = dynamic_cast<const CudaField*>(setup.log_cost);
    if (log_cost_ == nullptr || &log_cost_->context() != context_.get())
      throw InvalidOptions("search: the log cost's field does not belong to the cuda backend");
    check_size(log_cost_->size(), candidates.size(), "score, candidates of the log cost's field");
    cost_means_from_ = log_cost_->on_demand();
  }
  if (setup.log_cost_factor != nullptr || cost_means_from_ != nullptr) begin_cost(setup);
  make_buffers();
  take_over_fantasies();
}

void CudaSearch::begin_cost(const SearchSetup& setup) {
  cost_factor_ = dynamic_cast<const CudaFactor*>(setup.log_cost_factor);
  if (setup.log_cost_factor != nullptr &&
      (cost_factor_ == nullptr || &cost_factor_->context() != context_.get() || log_cost_ == nullptr))
    throw InvalidOptions("search: the log cost's factor and field must both be the cuda backend's");
  if (cost_factor_ != nullptr && cost_means_from_ != nullptr && cost_factor_ != cost_means_from_->factor)
    throw InvalidOptions("search: the log cost's field was swept with another factor than the one given");
  check_size(candidates_.columns(), cost_gp().columns(), "search, columns of the candidates");
  cost_scale_ = cost_means_from_ != nullptr ? cost_means_from_->units.scale : setup.log_cost_units.scale;
}

void CudaSearch::make_buffers() {
  const Context& context = *context_;
  const std::size_t of_members = factors_.size() * size();
  means_ = context.buffer<double>(fantasies_ * size());
  bases_ = context.buffer<double>(of_members);
  reductions_ = context.buffer<double>(of_members);
  versions_ = context.buffer<std::uint32_t>(of_members);
  solved_ = context.buffer<std::uint32_t>(of_members);
  if (cost_means_from_ != nullptr) cost_means_ = context.buffer<double>(size());
  if (cost_factor_ != nullptr) cost_bases_ = context.buffer<double>(size());
  if (cost_factor_ != nullptr || cost_means_from_ != nullptr) cost_solved_ = context.buffer<std::uint32_t>(size());
  for (const CudaFactor* factor : factors_) factor->enqueue_inverse();
  if (cost_factor_ != nullptr) cost_factor_->enqueue_inverse();
  const std::size_t rows = std::max(observed(), cost_factor_ == nullptr ? 0 : cost_factor_->observed());
  room_ = SubstitutionRoom(context, size(), rows, factors_.size());
  values_ = context.buffer<double>(fantasies_);
  mask_ = context.buffer<std::uint8_t>(size());
  ceilings_ = context.buffer<double>(size());
  lists_ = context.buffer<std::uint32_t>(2 * size());
  counts_ = context.buffer<std::uint64_t>(4);
  seeds_ = context.buffer<std::uint32_t>(most_seeds);
  seed_keys_ = context.buffer<std::uint64_t>(blocks());
  seed_indices_ = context.buffer<std::uint32_t>(blocks());
  block_ceilings_ = context.buffer<double>(blocks());
  best_ = context.buffer<kernels::BestTwo>(std::max(blocks(), static_cast<std::size_t>(room_.resident())));
  state_ = context.buffer<kernels::PickState>(1);
  looks_ = context.buffer<Look>(2);
  range_ = context.buffer<kernels::ChunkRange>(1);
  list_blocks_ = static_cast<int>(
      std::min({kernels::most_list_blocks, list_blocks_per_multiprocessor * context.multiprocessors(),
                static_cast<int>((size() + kernels::list_threads - 1) / kernels::list_threads)}));
  make_screen_rooms();
  class_counts_ = context.buffer<std::uint32_t>(static_cast<std::size_t>(kernels::age_classes) *
                                                static_cast<std::size_t>(list_blocks_));
  progress_ = context.buffer<unsigned>(kernels::block_progress_words);
  context.check(cudaMemsetAsync(progress_.data(), 0, progress_.size() * sizeof(unsigned), context.stream()),
                "room for the progress of lists");
}

/// Counts in the fantasised points that the factors came with; the first pass applies them.
void CudaSearch::take_over_fantasies() {
  const std::size_t points = fantasised();
  host_squares_.assign(fantasies_, 0.0);
  reserve_squares(points);
  context_->upload<double>(squares_.data(), host_squares_);
  std::vector<double> normals(points * fantasies_);
  for (std::size_t m = 0; m < factors_.size(); ++m) {
    const std::span<const double> own = factors_[m]->fantasy_normals();
    for (std::size_t t = 0; t < points; ++t)
      std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(t * per_member()), per_member(),
                  normals.begin() + static_cast<std::ptrdiff_t>(t * fantasies_ + m * per_member()));
  }
  add_squares(0, normals);
}

void CudaSearch::reserve_squares(std::size_t points) {
  const std::size_t needed = (points + 1) * fantasies_;
  if (needed <= squares_.size()) return;
  auto larger = context_->buffer<double>(std::max(2 * needed, (first_points + 1) * fantasies_));
  context_->copy_on_device(larger.data(), squares_.data(), std::min(squares_.size(), host_squares_.size()));
  squares_ = std::move(larger);
}

void CudaSearch::add_squares(std::size_t first, std::span<const double> normals) {
  host_squares_.resize((first + 1) * fantasies_);
  for (std::size_t i = 0; i < normals.size(); ++i)
    host_squares_.push_back(host_squares_[first * fantasies_ + i] + normals[i] * normals[i]);
  const std::span<const double> added(host_squares_.data() + (first + 1) * fantasies_, normals.size());
  context_->upload(squares_.data() + (first + 1) * fantasies_, added);
}

/// One mean a member becomes one a fantasy.
void CudaSearch::spread_means() {
  for (std::size_t m = 0; m < factors_.size(); ++m) {
    double* const first = means_.data() + m * per_member() * size();
    context_->check(kernels::launch_spread(context_->stream(), first, size(), per_member() - 1, first + size()),
                    "one mean a fantasy");
  }
}

std::vector<kernels::ScoreMember> CudaSearch::score_members() const {
  std::vector<kernels::ScoreMember> members;
  for (std::size_t m = 0; m < factors_.size(); ++m) {
    const CudaFactor& factor = *factors_[m];
    kernels::ScoreMember member;
    member.means = means_.data() + m * per_member() * size();
    member.bases = bases_.data() + m * size();
    member.reductions = fantasised() == 0 ? nullptr : reductions_.data() + m * size();
    member.stride = size();
    member.fantasies = static_cast<int>(means());
    member.floor = kernels::variance_floor(factor.parameters().signal_variance, static_cast<double>(factor.rows()));
    members.push_back(member);
  }
  return members;
}

std::vector<kernels::BoundMember> CudaSearch::bound_members() const {
  std::vector<kernels::BoundMember> members;
  for (std::size_t m = 0; m < factors_.size(); ++m)
    members.push_back({versions_.data() + m * size(), solved_.data() + m * size(),
                       factors_[m]->view().response_errors, factors_[m]->parameters().signal_variance,
                       usual_error(*factors_[m]), static_cast<int>(observed())});
  return members;
}

std::vector<kernels::PosteriorTask> CudaSearch::posterior_tasks() {
  std::vector<kernels::PosteriorTask> tasks;
  for (std::size_t m = 0; m < factors_.size(); ++m) add_pass(*factors_[m], objective_pass(m), tasks);
  if (cost_factor_ != nullptr || cost_means_from_ != nullptr) add_pass(cost_gp(), cost_pass(), tasks);
  return tasks;
}

/// One a member, then the cost's where its variance is computed as needed.
std::vector<kernels::SubstitutionTask> CudaSearch::substitution_tasks() {
  std::vector<kernels::SubstitutionTask> tasks;
  for (std::size_t m = 0; m < factors_.size(); ++m)
    tasks.push_back({factors_[m]->view(),
                     {bases_.data() + m * size(), solved_.data() + m * size(), 1.0},
                     factors_[m]->enqueue_inverse()});
  if (cost_factor_ != nullptr)
    tasks.push_back({cost_factor_->view(),
                     {cost_bases_.data(), cost_solved_.data(), cost_scale_ * cost_scale_},
                     cost_factor_->enqueue_inverse()});
  return tasks;
}

/// One a member, then the cost's where its means are computed here.
std::vector<kernels::ResponseTask> CudaSearch::response_tasks() {
  std::vector<kernels::ResponseTask> tasks;
  for (std::size_t m = 0; m < factors_.size(); ++m) {
    tasks.push_back({factors_[m]->view(),
                     means_.data() + m * per_member() * size(),
                     reductions_.data() + m * size(),
                     versions_.data() + m * size(),
                     size(),
                     {}});
    if (!screens()) continue;
    tasks.back().exact.screened = screened_.data();
    tasks.back().exact.solved = solved_.data() + m * size();
    if (factors_[m]->has_background()) tasks.back().exact.background = factors_[m]->background_view();
  }
  if (!screens() || cost_means_from_ == nullptr) return tasks;
  kernels::ResponseTask cost;
  cost.gp = cost_gp().view();
  cost.means = cost_means_.data();
  cost.stride = size();
  cost.exact = {screened_.data() + 1, cost_solved_.data(),           cost_factor_ == nullptr,      {},
                cost_offset(),        cost_means_from_->units.shift, cost_means_from_->units.scale};
  if (cost_gp().has_background()) cost.exact.background = cost_gp().background_view();
  tasks.push_back(cost);
  return tasks;
}

kernels::ScoreView CudaSearch::score_view(const SearchRequest& request) const {
  kernels::ScoreView view;
  view.member_count = members();
  view.fantasies = static_cast<int>(factors_.size() * means());
  view.mask = candidates_.mask();
  view.acquisition = request.acquisition;
  view.log_cost_limit = request.log_cost_limit;
  if (log_cost_ == nullptr) return view;
  view.log_cost = log_costs();
  if (cost_factor_ != nullptr) {
    const double rows = static_cast<double>(cost_factor_->rows());
    view.log_cost_bases = cost_bases_.data();
    view.log_cost_floor =
        cost_scale_ * cost_scale_ * kernels::variance_floor(cost_factor_->parameters().signal_variance, rows);
  } else if (log_cost_->has_variance()) {
    view.log_cost_bases = log_cost_->bases();
    view.log_cost_reductions = log_cost_->reductions();
    view.log_cost_floor = log_cost_->floor();
  }
  return view;
}

void CudaSearch::make_tables(const SearchRequest& request, std::size_t horizon, Tables& tables,
                             const OnDevice& given) {
  PackedBlock& block = tables.block;
  const std::size_t scores = block.add<kernels::ScoreMember>(score_members());
  const std::size_t bounds = block.add<kernels::BoundMember>(bound_members());
  const std::vector<kernels::PosteriorTask> passes = posterior_tasks();
  const std::size_t posteriors = block.add<kernels::PosteriorTask>(passes);
  const std::size_t substitutions = block.add<kernels::SubstitutionTask>(substitution_tasks());
  const std::vector<kernels::ResponseTask> means = response_tasks();
  const std::size_t responses = block.add<kernels::ResponseTask>(means);
  const bool begins = screens() && !begun_;
  const std::vector<kernels::ScreenTask> screened = screen_tasks();
  const std::size_t screens = block.add<kernels::ScreenTask>(screened);
  const std::size_t choices = block.add<kernels::ScreenChoice>(screen_choices());
  const std::size_t sample = block.add<kernels::SubstitutionTask>(begins ? std::vector{sample_task()}
                                                                         : std::vector<kernels::SubstitutionTask>{});
  const std::size_t incumbents = block.add(request.incumbents);
  const std::size_t extremes = block.add(kernels::extremes_of(request.acquisition));
  block.upload(*context_);
  kernels::BoundView& view = tables.bounds;
  view.score = score_view(request);
  view.score.members = block.at<const kernels::ScoreMember>(scores);
  view.score.incumbents = given.incumbents != nullptr ? given.incumbents : block.at<const double>(incumbents);
  if (given.mask != nullptr) view.score.mask = given.mask;
  view.score.round_log_cost = given.round_log_cost;
  if (request.acquisition.extremes != nullptr) view.score.acquisition.extremes = block.at<const double>(extremes);
  view.members = block.at<const kernels::BoundMember>(bounds);
  view.squares = squares_.data();
  view.fantasies = static_cast<int>(fantasies_);
  view.now = static_cast<int>(fantasised());
  view.horizon = static_cast<int>(horizon);
  if (!cost_solved_.empty()) {
    view.cost_solved = cost_solved_.data();
    view.cost_rows = static_cast<int>(cost_gp().observed());
  }
  view.shift = ceiling_shift_;
  view.known_seeds = seeded_;
  tables.posteriors = block.at<const kernels::PosteriorTask>(posteriors);
  tables.posterior_count = static_cast<int>(passes.size());
  tables.substitutions = block.at<const kernels::SubstitutionTask>(substitutions);
  tables.cost_substitution = tables.substitutions + factors_.size();
  tables.responses = block.at<const kernels::ResponseTask>(responses);
  tables.exact_count = static_cast<int>(means.size());
  tables.screens = {block.at<const kernels::ScreenTask>(screens), static_cast<int>(screened.size()), may_pair_};
  tables.choices = block.at<const kernels::ScreenChoice>(choices);
  tables.choice_count = (screens_objective_ ? 1 : 0) + (screens_cost_ ? 1 : 0);
  tables.sample = block.at<const kernels::SubstitutionTask>(sample);
}

}  // namespace carbo::internal
