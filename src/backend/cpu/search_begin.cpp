#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>
#include <numeric>

#include "backend/checks.hpp"
#include "backend/cpu/search.hpp"

namespace carbo::internal {
namespace {

/// From so many rows on the first pass costs less than a tenth of the dense one, so that it may be in vain.
constexpr std::size_t rows_without_pilot = 700;
/// One panel in so many is scored exactly to see whether bounds rule anybody out.
constexpr std::size_t panels_per_pilot = 32;
constexpr std::size_t most_pilots = 4;
/// Fewer panels than this are not worth a pilot; they are scored densely unless there are more than `dense_rows`
/// rows.
constexpr std::size_t least_panels = 16;
constexpr std::size_t dense_rows = 256;
/// Share of a pilot's candidates that reach its best exact score above which all are scored densely.
constexpr double share_for_dense = 0.6;

/// All candidates of a panel, its padding included.
class WholePanel {
 public:
  explicit WholePanel(std::size_t panel) {
    std::iota(candidates_, candidates_ + panel_width, static_cast<std::uint32_t>(panel * panel_width));
  }
  Gathered gathered() const { return candidates_; }

 private:
  std::uint32_t candidates_[panel_width];
};

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

/// Takes over the means of the log cost, and bounds its variance for every candidate.
void CpuSearch::begin_cost(const GpFactor& factor) {
  const auto* own = dynamic_cast<const CpuFactor*>(&factor);
  const auto* means = dynamic_cast<const CpuField*>(setup_.log_cost);
  if (own == nullptr || means == nullptr)
    throw InvalidOptions("search: the log cost's factor and field must both be the cpu backend's");
  check_size(candidates_.columns(), own->columns(), "search, columns of the candidates");
  check_size(means->size(), candidates_.size(), "search, candidates of the log cost's field");
  cost_ = std::make_unique<LazyField>(*own, candidates_, setup_.log_cost_units.scale);
  const std::size_t rows = std::min(LazyField::first_rows, cost_->all_rows());
  candidates_.for_each_panel(1, [&](std::size_t, std::size_t p) {
    std::copy_n(means->mean_row(p, 0), panel_width, cost_->field().mean_row(p, 0));
    cost_->solve(scratch_, WholePanel(p).gathered(), rows);
  });
  setup_.log_cost = &cost_->field();
}

void CpuSearch::begin(const ScoreRequest& request) {
  if (begun_) return;
  weights_.clear();
  for (const auto& field : fields_) weights_.push_back(field->factor().weights());
  const bool dense = dense_is_cheaper(request);
  candidates_.for_each_panel(1, [&](std::size_t, std::size_t p) { sweep_panel(p, dense); });
  if (apply_at_once_) {
    candidates_.for_each_panel(1, [&](std::size_t, std::size_t p) { bring_up_to_date(p); });
    work_.refreshed += candidates_.size();
  }
  weights_.clear();
  for (const auto& field : fields_) {
    const std::size_t rows = dense ? field->all_rows() : std::min(LazyField::first_rows, field->all_rows());
    const double share = static_cast<double>(rows) / static_cast<double>(field->all_rows());
    work_.rows += share * share / static_cast<double>(fields_.size());
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) work_.finished += finished(i) ? 1 : 0;
  begun_ = true;
}

void CpuSearch::sweep_panel(std::size_t panel, bool dense) {
  for (std::size_t m = 0; m < fields_.size(); ++m) {
    const std::size_t all = fields_[m]->all_rows();
    fields_[m]->sweep_panel(scratch_, panel, weights_[m], dense ? all : std::min(LazyField::first_rows, all));
  }
}

void CpuSearch::bring_up_to_date(std::size_t panel) {
  const WholePanel whole(panel);
  for (const auto& field : fields_) field->refresh(scratch_, whole.gathered(), versions_);
  std::fill_n(versions_.begin() + static_cast<std::ptrdiff_t>(panel * panel_width), panel_width,
              static_cast<std::uint32_t>(fantasised()));
}

bool CpuSearch::dense_is_cheaper(const ScoreRequest& request) {
  if (!has_ceilings(request.acquisition)) return true;
  std::size_t rows = 0;
  for (const auto& field : fields_) rows = std::max(rows, field->all_rows());
  const std::size_t panels = candidates_.panels();
  if (rows <= LazyField::first_rows) return true;
  if (rows >= rows_without_pilot) return false;
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
    double panel_ceilings[panel_width];
    ceilings_of(ceiling_context(request), Until::now, scratch_, gathered, panel_ceilings);
    ceilings.insert(ceilings.end(), panel_ceilings, panel_ceilings + gathered.size());
    std::vector<Contender> contenders;
    for (const std::uint32_t candidate : gathered) contenders.push_back({candidate, 0.0});
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
