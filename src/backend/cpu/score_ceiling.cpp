#include "backend/cpu/score_ceiling.hpp"

#include <algorithm>

#include "acquisition/table.hpp"
#include "backend/cpu/panel_bounds.hpp"

namespace carbo::internal {
namespace {

/// Of the deviation. Of longer responses the score knows better what they take from the deviation.
constexpr double short_reach = 0.125;

/// What ceilings look at of candidates that were brought together, each number in an array of its own, so that loops
/// over candidates become vector code. Those that fill up the last vectors stand for the last candidate. Those of a
/// whole panel lie side by side already.
template <class Score>
class PanelCeilings {
 public:
  PanelCeilings(const CeilingContext& context, Until until, Gathered gathered, bool whole_panel)
      : context_(context),
        now_(until == Until::now),
        end_(now_ ? context.norms.points() : context.norms.horizon()),
        gathered_(gathered),
        lanes_(lanes_for(gathered.size())),
        whole_panel_(whole_panel),
        has_cost_(context.request.log_cost != nullptr) {
    for (std::size_t j = 0; j < lanes_; ++j) candidates_[j] = gathered[std::min(j, gathered.size() - 1)];
    gather(context.versions.data(), versions_);
    take_costs();
  }

  /// One bound for all fantasies of the one GP: with the highest incumbent, the lowest mean and the longest normals.
  void loosest(ScratchPool& scratch, double* out) {
    const CpuField& field = context_.fields.front()->field();
    prepare(0);
    const double* const most = now_ ? context_.norms.most_now() : context_.norms.most_ahead();
    take_norms(most, 1);
    // Means of a candidate that has seen no fantasised point are all the same.
    const bool moved = *std::max_element(versions_, versions_ + lanes_) > 0;
    alignas(64) double room[panel_width];
    alignas(64) double lowest[panel_width];
    std::copy_n(means_of(field, 0, room), lanes_, lowest);
    for (std::size_t f = 1; moved && f < field.means(); ++f) {
      const double* const means = means_of(field, f, room);
      for (std::size_t j = 0; j < lanes_; ++j) lowest[j] = means[j] < lowest[j] ? means[j] : lowest[j];
    }
    const auto incumbents = context_.request.incumbents;
    PanelBounds<typename Score::Reduction> bounds(scratch, 1, lanes_);
    add(bounds, 0, *std::max_element(incumbents.begin(), incumbents.end()), lowest);
    write(bounds, out);
  }

  void all(ScratchPool& scratch, double* out) {
    const std::size_t members = context_.fields.size();
    const std::size_t fantasies = distinct(context_, now_);
    const std::size_t of_member = fantasies / members;
    const std::size_t known = context_.norms.fantasies();
    const double* const norms = now_ ? context_.norms.now() : context_.norms.ahead();
    PanelBounds<typename Score::Reduction> bounds(scratch, fantasies, lanes_);
    alignas(64) double room[panel_width];
    for (std::size_t m = 0; m < members; ++m) {
      const CpuField& field = context_.fields[m]->field();
      prepare(m);
      for (std::size_t f = 0; f < of_member; ++f) {
        const std::size_t row = field.means() == 1 ? 0 : f;
        take_norms(norms + m * (known / members) + f, known);
        add(bounds, m * of_member + f, context_.request.incumbents[m * field.means() + row],
            means_of(field, row, room));
      }
    }
    write(bounds, out);
  }

  /// Fantasies whose terms may differ: before the first fantasised point those of a GP are one.
  static std::size_t distinct(const CeilingContext& context, bool now) {
    const bool alike = now && context.norms.points() == 0;
    return alike ? context.fields.size() : context.norms.fantasies();
  }

 private:
  /// to[j] = from[candidate j].
  template <class Value>
  void gather(const Value* from, Value* to) const {
    if (whole_panel_)
      std::copy_n(from + candidates_[0], panel_width, to);
    else
      for (std::size_t j = 0; j < lanes_; ++j) to[j] = from[candidates_[j]];
  }
  /// Where they lie, or in `room`.
  const double* means_of(const CpuField& field, std::size_t fantasy, double* __restrict room) const {
    if (whole_panel_) return field.mean_row(candidates_[0] / panel_width, fantasy);
    const double* const means = field.mean_row(0, fantasy);
    const std::size_t beside = panel_width * (field.means() - 1);
    for (std::size_t j = 0; j < lanes_; ++j) room[j] = means[candidates_[j] / panel_width * beside + candidates_[j]];
    return room;
  }
  /// Of each one's version: `norms` has a row a version.
  void take_norms(const double* norms, std::size_t row) {
    double* const __restrict to = norm_;
    for (std::size_t j = 0; j < lanes_; ++j) to[j] = norms[versions_[j] * row];
  }

  /// Those that make scores the highest.
  void take_costs() {
    const auto* log_cost = static_cast<const CpuField*>(context_.request.log_cost);
    std::fill_n(cost_mean_, lanes_, 0.0);
    std::fill_n(cost_variance_, lanes_, 0.0);
    if (log_cost == nullptr) return;
    std::copy_n(means_of(*log_cost, 0, cost_mean_), lanes_, cost_mean_);
    if (!log_cost->has_variance()) return;
    const bool rises = Score::rises_with_cost_variance(context_.request.acquisition.moment);
    for (std::size_t j = 0; j < lanes_; ++j) {
      const std::size_t one = candidates_[j];
      const bool finished = context_.cost == nullptr || context_.cost->finished(one);
      const double variance = log_cost->variance_at(one / panel_width, one % panel_width);
      cost_variance_[j] = kernels::bounding_cost_variance(variance, finished, rises);
    }
  }
  kernels::LogCost cost(std::size_t j) const { return {has_cost_, cost_mean_[j], cost_variance_[j]}; }

  /// What scores under GP m are made of.
  void prepare(std::size_t m) {
    const LazyField& lazy = *context_.fields[m];
    const CpuField& field = lazy.field();
    alignas(64) double variance[panel_width];
    alignas(64) double reduction[panel_width] = {};
    gather(field.bases(), variance);
    if (field.conditioned()) gather(field.reductions(), reduction);
    // Copies, which no store can change: so the loop becomes vector code.
    const LazyField::DeviationBound bound = lazy.deviation_bound(end_);
    const kernels::AcquisitionSpec acquisition = context_.request.acquisition;
    const double floor = field.floor(), end = static_cast<double>(end_);
    double* const __restrict first = prepared_[0], * const __restrict second = prepared_[1];
    alignas(64) double deviations[panel_width];
    for (std::size_t j = 0; j < lanes_; ++j) {
      const double missed = end - static_cast<double>(versions_[j]);
      const double deviation = bound.of(kernels::floored(variance[j] - reduction[j], floor), missed);
      const auto [one, other] = Score::prepare_bound(acquisition, deviation, cost(j));
      first[j] = one;
      second[j] = other;
      deviations[j] = deviation;
    }
    // A score is at most that of (mean − reach ‖z‖, s) where responses are no longer than `reach`.
    std::fill_n(reach_, lanes_, 0.0);
    std::fill_n(counted_, lanes_, 1.0);
    for (std::size_t j = 0; now_ && lazy.bounds_responses() && j < lanes_; ++j) {
      if (versions_[j] == end_) continue;
      const double reach = lazy.response_bound(candidates_[j], versions_[j]);
      if (!(reach < short_reach * deviations[j])) continue;
      reach_[j] = reach;
      counted_[j] = 0.0;
    }
  }

  template <class Bounds>
  void add(Bounds& bounds, std::size_t fantasy, double incumbent, const double* means) const {
    bounds.add(fantasy, [&](std::size_t j) {
      const double fall = reach_[j] * norm_[j];
      return Score::bound({prepared_[0][j], prepared_[1][j]}, incumbent, means[j] - fall, counted_[j] * norm_[j]);
    });
  }

  template <class Bounds>
  void write(Bounds& bounds, double* out) {
    alignas(64) double ceilings[panel_width];
    bounds.ceilings(ceilings);
    for (std::size_t j = 0; j < lanes_; ++j)
      ceilings[j] += context_.shift + kernels::with_margin(Score::cost_term(context_.request.acquisition, cost(j)));
    // Where numbers overflow nothing is known: who has no ceiling is never ruled out.
    for (std::size_t j = 0; j < gathered_.size(); ++j) out[j] = std::isnan(ceilings[j]) ? HUGE_VAL : ceilings[j];
  }

  static_assert(sizeof(typename Score::Prepared) == 2 * sizeof(double));
  const CeilingContext& context_;
  bool now_;
  std::size_t end_;
  Gathered gathered_;
  std::size_t lanes_;
  bool whole_panel_;
  bool has_cost_;
  alignas(64) double prepared_[2][panel_width];
  alignas(64) double norm_[panel_width];
  alignas(64) double reach_[panel_width];    ///< longest responses, where these are known to be short
  alignas(64) double counted_[panel_width];  ///< 0 there, and 1 where the deviation bounds them
  alignas(64) double cost_mean_[panel_width];
  alignas(64) double cost_variance_[panel_width];
  std::uint32_t candidates_[panel_width];
  std::uint32_t versions_[panel_width];  ///< fantasised points that each has seen
};

/// step(bounds, out) for all of `gathered`. Where these are many of one panel, for all of it: nothing is gathered
/// then.
template <class Score, class Step>
void look_at(const CeilingContext& context, Until until, Gathered gathered, From from, double* out,
             const Step& step) {
  constexpr std::size_t many = panel_width / 4;
  if (from == From::anywhere || gathered.size() < many)
    return step(PanelCeilings<Score>(context, until, gathered, false), out);
  const WholePanel whole(gathered.front() / panel_width);
  double ceilings[panel_width];
  step(PanelCeilings<Score>(context, until, whole.gathered(), true), ceilings);
  for (std::size_t i = 0; i < gathered.size(); ++i) out[i] = ceilings[gathered[i] % panel_width];
}

template <class Score>
void ceilings_under(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered, From from,
                    double cut, double* out) {
  using Ceilings = PanelCeilings<Score>;
  const auto look = [&](Gathered at, double* to, const auto& step) {
    look_at<Score>(context, until, at, from, to, step);
  };
  const auto all = [&](Ceilings&& ceilings, double* to) { ceilings.all(scratch, to); };
  const bool loose_first =
      cut > -HUGE_VAL && context.fields.size() == 1 && Ceilings::distinct(context, until == Until::now) > 1;
  if (!loose_first) return look(gathered, out, all);
  look(gathered, out, [&](Ceilings&& ceilings, double* to) { ceilings.loosest(scratch, to); });
  std::uint32_t reaching[panel_width];
  std::uint32_t places[panel_width];
  std::size_t count = 0;
  for (std::size_t j = 0; j < gathered.size(); ++j) {
    if (out[j] < cut) continue;
    reaching[count] = gathered[j];
    places[count++] = static_cast<std::uint32_t>(j);
  }
  if (count == 0) return;
  double tighter[panel_width];
  look({reaching, count}, tighter, all);
  for (std::size_t i = 0; i < count; ++i) out[places[i]] = tighter[i];
}

}  // namespace

void ceilings_of(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered, From from,
                 double cut, double* out) {
  const auto fill = [&](auto type) {
    using Score = typename decltype(type)::type;
    if constexpr (Score::has_ceilings)
      ceilings_under<Score>(context, until, scratch, gathered, from, cut, out);
    else
      std::fill_n(out, gathered.size(), HUGE_VAL);
    return true;
  };
  kernels::visit_score(context.request.acquisition.which, fill, false);
}

}  // namespace carbo::internal
