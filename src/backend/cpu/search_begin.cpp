#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>

#include "acquisition/float_margin.hpp"
#include "acquisition/table.hpp"
#include "backend/checks.hpp"
#include "backend/cpu/search.hpp"

namespace carbo::internal {
namespace {

/// From so many rows on the first pass costs less than a tenth of the dense one, so that it may be in vain.
constexpr std::size_t rows_without_pilot = 700;
/// The same where so few picks follow that none of them gains by variances which the dense pass finishes.
constexpr std::size_t rows_without_pilot_of_few = 200;
constexpr std::size_t few_picks_ahead = 4;
/// Up to so many rows a dense pass costs hardly more than a first one.
constexpr std::size_t rows_always_dense = 2 * LazyField::first_rows;
/// One panel in so many is scored exactly to see whether bounds rule anybody out.
constexpr std::size_t panels_per_pilot = 32;
constexpr std::size_t most_pilots = 4;
/// By more rows than everybody gets at first: the next ones are cheap.
constexpr std::size_t pilot_rows = 2 * LazyField::first_rows;
/// Fewer panels than this are not worth a pilot; they are scored densely unless there are more than `dense_rows`
/// rows.
constexpr std::size_t least_panels = 16;
constexpr std::size_t dense_rows = 256;
/// Share of a pilot's candidates that reach its best exact score above which all are scored densely.
constexpr double share_for_dense = 0.6;

/// Rows of forward substitution after which a deviation is near enough to what it will be to choose a precision by.
constexpr std::size_t sample_rows = 8 * LazyField::first_rows;

}  // namespace

void CpuSearch::take_over_fantasies() {
  const std::size_t per_member = norms_.fantasies() / factors_.size();
  for (std::size_t t = 0; t < fantasised(); ++t) {
    std::vector<double> normals;
    for (const CpuFactor* factor : factors_) {
      const std::vector<double>& own = factor->fantasies()[t].normals;
      check_size(own.size(), per_member, "search, fantasies of a factor");
      normals.insert(normals.end(), own.begin(), own.end());
    }
    norms_.add(normals);
  }
  if (fantasised() == 0) return;
  apply_at_once_ = true;
  for (const auto& field : fields_) {
    field->spread(per_member);
    field->follow_factor();
  }
}

/// The log cost as a field of this search's own: its means where they are still to be computed, its variance where
/// that is computed as needed.
void CpuSearch::begin_cost(const GpFactor* factor) {
  const auto* given = dynamic_cast<const CpuField*>(setup_.log_cost);
  const auto* own = dynamic_cast<const CpuFactor*>(factor);
  if (factor != nullptr && (own == nullptr || given == nullptr))
    throw InvalidOptions("search: the log cost's factor and field must both be the cpu backend's");
  const DeferredMeans* deferred = given != nullptr ? given->deferred() : nullptr;
  if (factor == nullptr && deferred == nullptr) return;
  if (factor != nullptr && deferred != nullptr && own != deferred->factor)
    throw InvalidOptions("search: the log cost's field was swept with another factor than the one given");
  if (deferred != nullptr) own = deferred->factor;
  check_size(candidates_.columns(), own->columns(), "search, columns of the candidates");
  check_size(given->size(), candidates_.size(), "search, candidates of the log cost's field");
  computes_cost_ = deferred != nullptr;
  if (computes_cost_) {
    cost_ = std::make_unique<LazyField>(*own, candidates_, factor != nullptr, deferred->units, deferred->offset);
  } else {
    cost_ = std::make_unique<LazyField>(*own, candidates_, true, setup_.log_cost_units);
    cost_->take_means(*given);
    const std::size_t rows = std::min(LazyField::first_rows, cost_->all_rows());
    candidates_.for_each_panel(
        1, [&](std::size_t, std::size_t p) { cost_->solve(scratch_, WholePanel(p).gathered(), rows); });
  }
  setup_.log_cost = &cost_->field();
}

/// One GP a thread: the weights of the means come out of a triangular solve.
void CpuSearch::set_precision(Precision objective, Precision cost) {
  pool_->parallel_for(fields_.size() + (computes_cost_ ? 1 : 0), [&](std::size_t i) {
    if (i < fields_.size())
      fields_[i]->begin(objective, setup_.margin_share);
    else
      cost_->begin(cost, setup_.margin_share);
  });
}

/// Float32 where its margin hides little, by a few candidates from all over the set.
void CpuSearch::choose_precision(const ScoreRequest& request) {
  const bool wanted = setup_.precision == Precision::float32 ||
                      (setup_.precision == Precision::automatic && candidates_.panels() >= least_panels);
  if (!wanted || !kernels::has_ceilings(request.acquisition))
    return set_precision(Precision::float64, Precision::float64);
  set_precision(Precision::float32, Precision::float32);
  if (setup_.precision == Precision::float32) return;
  std::uint32_t sample[narrow_multiple];
  for (std::size_t i = 0; i < narrow_multiple; ++i)
    sample[i] = static_cast<std::uint32_t>((2 * i + 1) * candidates_.size() / (2 * narrow_multiple));
  const auto precision_of = [&](const LazyField& field, std::size_t rows) {
    const bool worthwhile = field.typical_margin(scratch_, sample, rows) < kernels::worthwhile_margin;
    return worthwhile ? Precision::float32 : Precision::float64;
  };
  const Precision objective = precision_of(*fields_.front(), std::min(sample_rows, fields_.front()->all_rows()));
  set_precision(objective, computes_cost_ ? precision_of(*cost_, 0) : Precision::float64);
}

void CpuSearch::begin(const SearchRequest& request, const ScoreRequest& scores) {
  if (begun_) return;
  choose_precision(scores);
  const bool dense = dense_is_cheaper(scores, request.normals_ahead.size() / norms_.fantasies());
  if (dense) set_precision(Precision::float64, Precision::float64);
  candidates_.for_each_panel(1, [&](std::size_t, std::size_t p) { sweep_panel(p, dense); });
  if (apply_at_once_) {
    candidates_.for_each_panel(1, [&](std::size_t, std::size_t p) { bring_up_to_date(p); });
    work_.refreshed += candidates_.size();
  }
  for (const auto& field : fields_) {
    const std::size_t rows = dense ? field->all_rows() : std::min(LazyField::first_rows, field->all_rows());
    const double share = static_cast<double>(rows) / static_cast<double>(field->all_rows());
    work_.rows += share * share / static_cast<double>(fields_.size());
    work_.means += candidates_.size();
    if (field->screens()) work_.screened += candidates_.size();
  }
  if (computes_cost_) work_.means += candidates_.size();
  if (computes_cost_ && cost_->screens()) work_.screened += candidates_.size();
  if (finished(0)) work_.finished += candidates_.size();  // as all others then
  begun_ = true;
}

void CpuSearch::sweep_panel(std::size_t panel, bool dense) {
  for (const auto& field : fields_) {
    const std::size_t all = field->all_rows();
    field->sweep_panel(scratch_, panel, dense ? all : std::min(LazyField::first_rows, all));
  }
  if (computes_cost_) cost_->sweep_panel(scratch_, panel, std::min(LazyField::first_rows, cost_->all_rows()));
}

void CpuSearch::bring_up_to_date(std::size_t panel) {
  const WholePanel whole(panel);
  for (const auto& field : fields_) field->refresh(scratch_, whole.gathered(), versions_);
  std::fill_n(versions_.begin() + static_cast<std::ptrdiff_t>(panel * panel_width), panel_width,
              static_cast<std::uint32_t>(fantasised()));
}

bool CpuSearch::dense_is_cheaper(const ScoreRequest& request, std::size_t picks_ahead) {
  if (!kernels::has_ceilings(request.acquisition)) return true;
  if (setup_.precision == Precision::float32) return false;
  std::size_t rows = 0;
  for (const auto& field : fields_) rows = std::max(rows, field->all_rows());
  const std::size_t panels = candidates_.panels();
  if (rows <= rows_always_dense) return true;
  if (rows >= (picks_ahead < few_picks_ahead ? rows_without_pilot_of_few : rows_without_pilot)) return false;
  if (panels < least_panels) return rows <= dense_rows;
  const std::size_t pilots = std::clamp<std::size_t>(panels / panels_per_pilot, 1, most_pilots);
  std::size_t asked = 0;
  std::vector<double> ceilings, scores;
  for (std::size_t i = 0; i < pilots; ++i) {
    const std::size_t p = (2 * i + 1) * panels / (2 * pilots);
    sweep_panel(p, false);
    if (apply_at_once_) bring_up_to_date(p);
    std::uint32_t room[panel_width];
    const Gathered gathered = available_of(p, room);
    if (gathered.empty()) continue;
    std::vector<Contender> contenders;
    for (const std::uint32_t candidate : gathered) contenders.push_back({candidate, 0.0});
    solve(contenders, pilot_rows);
    double panel_ceilings[panel_width];
    ceilings_of(ceiling_context(request), Until::now, scratch_, gathered, From::one_panel, -HUGE_VAL, panel_ceilings);
    ceilings.insert(ceilings.end(), panel_ceilings, panel_ceilings + gathered.size());
    refresh(contenders);
    Ranking best(1, -HUGE_VAL);
    finish(request, contenders, best);
    scores.push_back(best.threshold());
    asked += gathered.size();
    std::fill_n(versions_.begin() + static_cast<std::ptrdiff_t>(p * panel_width), panel_width, 0);
  }
  work_ = {};
  known_.clear();
  if (asked == 0) return false;
  const double best = *std::max_element(scores.begin(), scores.end());
  const auto reaching = std::count_if(ceilings.begin(), ceilings.end(), [&](double one) { return !(one < best); });
  return static_cast<double>(reaching) > share_for_dense * static_cast<double>(asked);
}

}  // namespace carbo::internal
