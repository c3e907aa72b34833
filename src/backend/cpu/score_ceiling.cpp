#include "backend/cpu/score_ceiling.hpp"

#include <algorithm>

#include "acquisition/table.hpp"

namespace carbo::internal {
namespace {

/// The cost of a candidate that makes its score the highest.
template <class Score>
kernels::LogCost bounding_cost(const CeilingContext& context, std::size_t candidate) {
  kernels::LogCost cost = log_cost_at(context.request, candidate / panel_width, candidate % panel_width);
  const bool finished = context.cost == nullptr || context.cost->finished(candidate);
  cost.variance = kernels::bounding_cost_variance(
      cost.variance, finished, Score::rises_with_cost_variance(context.request.acquisition.moment));
  return cost;
}

}  // namespace

void NormTable::add(std::span<const double> normals) {
  const auto row = [&](std::size_t t) { return squares_.data() + t * fantasies_; };
  if (points_ < horizon_) {
    const double* expected = expected_.data() + (expected_.size() - (horizon_ - points_) * fantasies_);
    as_expected_ = as_expected_ && std::equal(normals.begin(), normals.end(), expected);
  } else {
    horizon_ = points_ + 1;
    as_expected_ = false;
    squares_.resize((horizon_ + 1) * fantasies_);
  }
  for (std::size_t f = 0; f < fantasies_; ++f) row(points_ + 1)[f] = row(points_)[f] + normals[f] * normals[f];
  ++points_;
  fill(points_, now_);
}

void NormTable::expect(std::span<const double> normals_ahead) {
  expected_.assign(normals_ahead.begin(), normals_ahead.end());
  as_expected_ = true;
  horizon_ = points_ + normals_ahead.size() / fantasies_;
  squares_.resize((horizon_ + 1) * fantasies_);
  for (std::size_t t = points_; t < horizon_; ++t)
    for (std::size_t f = 0; f < fantasies_; ++f) {
      const double z = normals_ahead[(t - points_) * fantasies_ + f];
      squares_[(t + 1) * fantasies_ + f] = squares_[t * fantasies_ + f] + z * z;
    }
  fill(points_, now_);
  fill(horizon_, ahead_);
}

void NormTable::fill(std::size_t end, std::vector<double>& norms) const {
  norms.assign((points_ + 1) * fantasies_, 0.0);
  const double* last = squares_.data() + end * fantasies_;
  for (std::size_t version = 0; version <= points_ && version < end; ++version)
    for (std::size_t f = 0; f < fantasies_; ++f) {
      const std::size_t at = version * fantasies_ + f;
      norms[at] = kernels::stale_norm(last[f], squares_[at]);
    }
}

namespace {

/// Bounds on the terms of all fantasies, for a panel of candidates at once and without branches.
template <class Reduction>
class PanelBounds;

template <>
class PanelBounds<kernels::LogMean> {
 public:
  PanelBounds(ScratchPool& scratch, std::size_t fantasies)
      : fantasies_(fantasies),
        log_share_(kernels::LogMean::log_share(static_cast<double>(fantasies))),
        lease_(scratch.borrow(2 * fantasies * panel_width)) {
    std::fill_n(least_, panel_width, HUGE_VAL);
  }

  /// bound(j) of fantasy f.
  template <class Bound>
  void add(std::size_t f, const Bound& bound) {
    double* __restrict exponent = exponents(f);
    double* __restrict factor = factors(f);
    for (std::size_t j = 0; j < panel_width; ++j) {
      const kernels::LogMean::Bound one = bound(j);
      factor[j] = one.factor;
      exponent[j] = one.exponent;
      least_[j] = one.exponent < least_[j] ? one.exponent : least_[j];
    }
  }

  void add_up() {
    std::fill_n(sum_, panel_width, 0.0);
    for (std::size_t f = 0; f < fantasies_; ++f) {
      const double* __restrict exponent = exponents(f);
      const double* __restrict factor = factors(f);
      for (std::size_t j = 0; j < panel_width; ++j)
        sum_[j] += factor[j] * kernels::exp_negative(exponent[j] - least_[j]);
    }
  }

  double ceiling(std::size_t j) const { return kernels::LogMean::ceiling(sum_[j], least_[j], log_share_); }

 private:
  double* exponents(std::size_t f) { return lease_.data() + 2 * f * panel_width; }
  double* factors(std::size_t f) { return exponents(f) + panel_width; }

  std::size_t fantasies_;
  double log_share_;
  ScratchPool::Lease lease_;               ///< fantasies × (exponents, factors) × panel_width
  alignas(64) double least_[panel_width];  ///< of the exponents
  alignas(64) double sum_[panel_width];
};

template <>
class PanelBounds<kernels::PlainMean> {
 public:
  PanelBounds(ScratchPool&, std::size_t fantasies) : fantasies_(fantasies) {}

  template <class Bound>
  void add(std::size_t, const Bound& bound) {
    for (std::size_t j = 0; j < panel_width; ++j) {
      const double term = bound(j).term;
      sum_[j] += term;
      magnitude_[j] += std::abs(term);
    }
  }
  void add_up() {}
  double ceiling(std::size_t j) const {
    return kernels::PlainMean::ceiling(sum_[j], magnitude_[j], static_cast<double>(fantasies_));
  }

 private:
  std::size_t fantasies_;
  alignas(64) double sum_[panel_width] = {};
  alignas(64) double magnitude_[panel_width] = {};
};

/// Candidates of a panel, those that it lacks standing for the last: where their numbers are, and what their scores
/// are made of under one GP.
template <class Score>
struct PanelMember {
  /// Of two numbers, each in an array of its own, so that loops over candidates become vector code.
  static_assert(sizeof(typename Score::Prepared) == 2 * sizeof(double));
  alignas(64) double prepared[2][panel_width];
  alignas(64) double mean[panel_width];
  alignas(64) double norm[panel_width];
  std::size_t mean_offsets[panel_width];
  std::size_t norm_offsets[panel_width];

  typename Score::Prepared at(std::size_t j) const { return {prepared[0][j], prepared[1][j]}; }
};

template <class Score>
void prepare(const CeilingContext& context, std::size_t m, std::size_t end, Gathered gathered,
             std::span<const kernels::LogCost> costs, PanelMember<Score>& member) {
  const LazyField& lazy = *context.fields[m];
  const CpuField& field = lazy.field();
  const std::size_t fantasies = context.norms.fantasies();
  for (std::size_t j = 0; j < panel_width; ++j) {
    const std::size_t candidate = gathered[std::min(j, gathered.size() - 1)];
    const std::size_t p = candidate / panel_width, lane = candidate % panel_width;
    const double sd = lazy.bounding_deviation(field.variance_at(p, lane), context.versions[candidate], end);
    const auto [first, second] = Score::prepare(context.request.acquisition, sd, costs[j]);
    member.prepared[0][j] = first;
    member.prepared[1][j] = second;
    member.mean_offsets[j] = p * panel_width * field.means() + lane;
    member.norm_offsets[j] = context.versions[candidate] * fantasies + m * (fantasies / context.fields.size());
  }
}

template <class Score>
void ceilings_under(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered,
                    double* out) {
  const std::size_t fantasies = context.norms.fantasies();
  const std::size_t of_member = fantasies / context.fields.size();
  const std::size_t end = until == Until::now ? context.norms.points() : context.norms.horizon();
  const double* norms = until == Until::now ? context.norms.now() : context.norms.ahead();
  kernels::LogCost costs[panel_width];
  for (std::size_t j = 0; j < panel_width; ++j)
    costs[j] = bounding_cost<Score>(context, gathered[std::min(j, gathered.size() - 1)]);
  PanelBounds<typename Score::Reduction> bounds(scratch, fantasies);
  PanelMember<Score> member;
  for (std::size_t m = 0; m < context.fields.size(); ++m) {
    const CpuField& field = context.fields[m]->field();
    prepare(context, m, end, gathered, costs, member);
    for (std::size_t f = 0; f < of_member; ++f) {
      const std::size_t row = field.means() == 1 ? 0 : f;
      const double* means = field.mean_row(0, row);
      const double incumbent = context.request.incumbents[m * field.means() + row];
      for (std::size_t j = 0; j < panel_width; ++j) {
        member.mean[j] = means[member.mean_offsets[j]];
        member.norm[j] = norms[member.norm_offsets[j] + f];
      }
      bounds.add(m * of_member + f, [&](std::size_t j) {
        return Score::bound(member.at(j), incumbent, member.mean[j], member.norm[j]);
      });
    }
  }
  bounds.add_up();
  for (std::size_t j = 0; j < gathered.size(); ++j) {
    const double ceiling =
        bounds.ceiling(j) + context.shift + Score::cost_term(context.request.acquisition, costs[j]);
    // Where numbers overflow nothing is known: who has no ceiling is never ruled out.
    out[j] = std::isnan(ceiling) ? HUGE_VAL : ceiling;
  }
}

}  // namespace

void ceilings_of(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered, double* out) {
  const auto fill = [&](auto type) {
    using Score = typename decltype(type)::type;
    if constexpr (Score::has_ceilings)
      ceilings_under<Score>(context, until, scratch, gathered, out);
    else
      std::fill_n(out, gathered.size(), HUGE_VAL);
    return true;
  };
  kernels::visit_score(context.request.acquisition.which, fill, false);
}

}  // namespace carbo::internal
