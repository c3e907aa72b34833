#include <algorithm>

#include "acquisition/table.hpp"
#include "backend/cuda/search.hpp"
#include "backend/cuda/search_rounds.hpp"
#include "formulas/variance_floor.hpp"

namespace carbo::internal {
namespace {

/// Fewer candidates, or fewer correlations of a GP with them, are not worth the launches that a first look in float32
/// adds.
constexpr std::size_t least_screened = 4096;
constexpr std::size_t least_correlations = std::size_t{1} << 21;
/// Rows of forward substitution after which a deviation is near enough to what it will be to choose a precision by.
constexpr std::size_t sample_rows = 256;
/// Operations of float32 in the time of one of float64 from which on pairs of float32 are the faster: a correlation
/// takes 127 of their instructions with six columns, in float64 44 of its own.
constexpr int least_ratio = 16;

std::size_t rows_of(const CudaFactor& factor) {
  const int background = factor.has_background() ? factor.background_view().observed : 0;
  return factor.observed() + static_cast<std::size_t>(background);
}

}  // namespace

void CudaSearch::make_screen_rooms() {
  may_screen_ = precision_ == Precision::float32 || precision_ == Precision::float_pairs ||
                (precision_ == Precision::automatic && size() >= least_screened &&
                 size() >= least_correlations / std::max<std::size_t>(1, observed()));
  if (!may_screen_) return;
  may_pair_ = precision_ == Precision::float_pairs ||
              (precision_ == Precision::automatic && context_->float32_per_float64() >= least_ratio);
  std::vector<const CudaFactor*> gps(factors_.begin(), factors_.end());
  if (cost_means_from_ != nullptr) gps.push_back(&cost_gp());
  for (const CudaFactor* gp : gps) {
    const std::size_t stride = kernels::screen_stride(rows_of(*gp));
    screen_rooms_.push_back({context_->buffer<float>((gp->columns() + 1) * stride),
                             context_->buffer<kernels::FloatPair>(may_pair_ ? (gp->columns() + 1) * stride : 0),
                             context_->buffer<double>(gp->columns()),
                             context_->buffer<kernels::ScreenScales>(1),
                             {},
                             {}});
  }
  const std::size_t rows = last_round_rows(observed());
  for (std::size_t m = 0; rows > 0 && m < factors_.size(); ++m) {
    screen_rooms_[m].inverse = context_->buffer<float>(rows * kernels::variance_stride(rows));
    screen_rooms_[m].units = context_->buffer<kernels::FloatVarianceRow>(kernels::variance_stride(rows));
  }
  screened_ = context_->buffer<std::uint32_t>(3);
  sample_ = context_->buffer<std::uint32_t>(kernels::screen_samples);
}

kernels::PosteriorTask CudaSearch::objective_pass(std::size_t member) {
  kernels::PosteriorTask task;
  const kernels::SubstitutionTask variance = substitution_tasks()[member];
  task.gp = variance.gp;
  task.means = means_.data() + member * per_member() * size();
  task.target = variance.target;
  task.inverse_blocks = variance.inverse_blocks;
  if (screens()) task.screened = screened_.data();
  return task;
}

/// Means and the first rows' variance of the log cost, either of which may be somebody else's.
kernels::PosteriorTask CudaSearch::cost_pass() {
  kernels::PosteriorTask task;
  task.gp = cost_gp().view();
  if (cost_factor_ != nullptr) {
    const kernels::SubstitutionTask variance = substitution_tasks().back();
    task.target = variance.target;
    task.inverse_blocks = variance.inverse_blocks;
  } else {
    task.target.solved = cost_solved_.data();
  }
  if (cost_means_from_ == nullptr) return task;
  task.means = cost_means_.data();
  task.offset = cost_offset();
  task.shift = cost_means_from_->units.shift;
  task.scale = cost_means_from_->units.scale;
  if (screens()) task.screened = screened_.data() + 1;
  return task;
}

const double* CudaSearch::cost_offset() const {
  return cost_means_from_->offset.empty() ? nullptr : cost_means_from_->offset.data();
}

/// With no more rows than the first pass solves for everyone there is nothing to gain, and a candidate whose rows are
/// all solved has an exact mean.
void CudaSearch::allow_screens(const SearchRequest& request) {
  if (begun_) return;
  const bool allowed = may_screen_ && kernels::has_ceilings(request.acquisition);
  screens_objective_ = allowed && observed() > kernels::first_rows;
  screens_cost_ = allowed && cost_means_from_ != nullptr && cost_gp().observed() > kernels::first_rows;
}

/// In float32 one round to the most rows costs less than the launches of two.
std::size_t CudaSearch::float_variance_rows() const { return screens_objective_ ? last_round_rows(observed()) : 0; }

/// `place`: of the GP among the rooms; the means as the pass would compute them.
kernels::ScreenTask CudaSearch::screen_task(std::size_t place, const kernels::PosteriorTask& pass) {
  const bool of_objective = place < factors_.size();
  const CudaFactor& factor = of_objective ? *factors_[place] : cost_gp();
  ScreenRoom& room = screen_rooms_[place];
  kernels::ScreenTask task{};
  task.gp = pass.gp;
  if (factor.has_background()) task.background = factor.background_view();
  task.stride = kernels::screen_stride(rows_of(factor));
  task.points = room.rows.data();
  task.weights = room.rows.data() + factor.columns() * task.stride;
  if (may_pair_) {
    task.pair_points = room.pairs.data();
    task.pair_weights = room.pairs.data() + factor.columns() * task.stride;
  }
  task.centre = room.centre.data();
  task.scales = room.scales.data();
  task.means = pass.means;
  task.offset = pass.offset;
  task.shift = pass.shift;
  task.scale = pass.scale;
  task.first_row = pass.target.bases != nullptr && !factor.has_background() ? kernels::first_rows : 0;
  task.margin_share = margin_share_;
  if (pass.target.bases == nullptr) task.solved = pass.target.solved;
  task.chosen = pass.screened;
  if (!of_objective || float_variance_rows() == 0) return task;
  task.variance = {room.inverse.data(),
                   room.units.data(),
                   pass.inverse_blocks,
                   screened_.data() + 2,
                   kernels::variance_stride(float_variance_rows()),
                   static_cast<int>(float_variance_rows())};
  return task;
}

std::vector<kernels::ScreenTask> CudaSearch::screen_tasks() {
  std::vector<kernels::ScreenTask> tasks;
  for (std::size_t m = 0; screens_objective_ && m < factors_.size(); ++m)
    tasks.push_back(screen_task(m, objective_pass(m)));
  if (screens_cost_) tasks.push_back(screen_task(factors_.size(), cost_pass()));
  return tasks;
}

/// The objective's margin counts in deviations, that of a log cost as it is.
std::vector<kernels::ScreenChoice> CudaSearch::screen_choices() {
  std::vector<kernels::ScreenChoice> choices;
  const CudaFactor& first = *factors_.front();
  const double floor = kernels::variance_floor(first.parameters().signal_variance, static_cast<double>(first.rows()));
  if (screens_objective_) choices.push_back({0, bases_.data(), floor, screened_.data(), factors_.size() * size()});
  if (screens_cost_)
    choices.push_back({screens_objective_ ? members() : 0, nullptr, 0, screened_.data() + 1, size()});
  return choices;
}

/// Variances of the sample, in the place of those that the first pass computes afterwards.
kernels::SubstitutionTask CudaSearch::sample_task() {
  kernels::SubstitutionTask task = substitution_tasks().front();
  task.target.solved = nullptr;
  return task;
}

kernels::LookRules CudaSearch::look_rules() const {
  if (precision_ == Precision::float32) return {kernels::in_float32, false};
  if (precision_ == Precision::float_pairs) return {kernels::in_pairs, true};
  return {kernels::in_float64, may_pair_};
}

void CudaSearch::begin_screens(const Tables& tables) {
  if (tables.screens.count == 0) return;
  const cudaStream_t stream = context_->stream();
  const kernels::ListBuffer sample{sample_.data(), counts_.data() + 3};
  context_->check(cudaMemsetAsync(screened_.data(), 0, screened_.size() * sizeof(std::uint32_t), stream),
                  "a new choice of the precision");
  context_->check(kernels::launch_prepare_screens(stream, tables.screens.tasks, tables.screens.count, size(),
                                                  float_variance_rows(), sample),
                  "rows in float32");
  if (screens_objective_) {
    const std::size_t rows = std::min(sample_rows, observed());
    context_->check(kernels::launch_substitution(stream, candidates_.view(), {sample.indices, sample.count, size()},
                                                 tables.sample, 1, static_cast<int>(rows), room_.view(), nullptr),
                    "deviations of a few candidates");
  }
  kernels::VarianceChoice of_variances;
  if (const std::size_t rows = float_variance_rows(); rows > 0) {
    const double prior = factors_.front()->parameters().signal_variance;
    of_variances = {kernels::variance_floor(prior, static_cast<double>(rows)), screened_.data() + 2};
  }
  context_->check(
      kernels::launch_choose_screens(stream, candidates_.view(), tables.screens.tasks, tables.choices,
                                     tables.choice_count, of_variances, look_rules(), &state_.data()->work),
      "choosing the precision");
}

}  // namespace carbo::internal
