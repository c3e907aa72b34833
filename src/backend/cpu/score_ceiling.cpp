#include "backend/cpu/score_ceiling.hpp"

#include <algorithm>

#include "acquisition/table.hpp"

namespace carbo::internal {

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

void NormTable::fill(std::size_t end, Norms& to) const {
  to.norms.assign((points_ + 1) * fantasies_, 0.0);
  to.most.assign(points_ + 1, 0.0);
  const double* last = squares_.data() + end * fantasies_;
  for (std::size_t version = 0; version <= points_ && version < end; ++version)
    for (std::size_t f = 0; f < fantasies_; ++f) {
      const std::size_t at = version * fantasies_ + f;
      to.norms[at] = kernels::stale_norm(last[f], squares_[at]);
      to.most[version] = std::max(to.most[version], to.norms[at]);
    }
}

namespace {

/// Bounds on the terms of all fantasies, for `lanes` candidates at once and without branches.
template <class Reduction>
class PanelBounds;

template <>
class PanelBounds<kernels::LogMean> {
 public:
  PanelBounds(ScratchPool& scratch, std::size_t fantasies, std::size_t lanes)
      : fantasies_(fantasies),
        lanes_(lanes),
        log_share_(kernels::LogMean::log_share(static_cast<double>(fantasies))),
        lease_(scratch.borrow(2 * fantasies * panel_width)) {
    std::fill_n(least_, lanes, HUGE_VAL);
  }

  /// bound(j) of fantasy f.
  template <class Bound>
  void add(std::size_t f, const Bound& bound) {
    double* __restrict exponent = exponents(f);
    double* __restrict factor = factors(f);
    for (std::size_t j = 0; j < lanes_; ++j) {
      const kernels::LogMean::Bound one = bound(j);
      factor[j] = one.factor;
      exponent[j] = one.exponent;
      least_[j] = one.exponent < least_[j] ? one.exponent : least_[j];
    }
  }

  void ceilings(double* __restrict out) {
    std::fill_n(out, lanes_, 0.0);
    for (std::size_t f = 0; f < fantasies_; ++f) {
      const double* __restrict exponent = exponents(f);
      const double* __restrict factor = factors(f);
      for (std::size_t j = 0; j < lanes_; ++j) out[j] += factor[j] * kernels::exp_negative(exponent[j] - least_[j]);
    }
    for (std::size_t j = 0; j < lanes_; ++j) out[j] = kernels::LogMean::ceiling(out[j], least_[j], log_share_);
  }

 private:
  double* exponents(std::size_t f) { return lease_.data() + 2 * f * panel_width; }
  double* factors(std::size_t f) { return exponents(f) + panel_width; }

  std::size_t fantasies_;
  std::size_t lanes_;
  double log_share_;
  ScratchPool::Lease lease_;               ///< fantasies × (exponents, factors) × panel_width
  alignas(64) double least_[panel_width];  ///< of the exponents
};

template <>
class PanelBounds<kernels::PlainMean> {
 public:
  PanelBounds(ScratchPool&, std::size_t fantasies, std::size_t lanes) : fantasies_(fantasies), lanes_(lanes) {}

  template <class Bound>
  void add(std::size_t, const Bound& bound) {
    for (std::size_t j = 0; j < lanes_; ++j) {
      const double term = bound(j).term;
      sum_[j] += term;
      magnitude_[j] += std::abs(term);
    }
  }
  void ceilings(double* __restrict out) {
    for (std::size_t j = 0; j < lanes_; ++j)
      out[j] = kernels::PlainMean::ceiling(sum_[j], magnitude_[j], static_cast<double>(fantasies_));
  }

 private:
  std::size_t fantasies_;
  std::size_t lanes_;
  alignas(64) double sum_[panel_width] = {};
  alignas(64) double magnitude_[panel_width] = {};
};

/// What ceilings look at of candidates that were brought together, each number in an array of its own, so that loops
/// over candidates become vector code. Those that fill up the last vectors stand for the last candidate.
template <class Score>
class PanelCeilings {
 public:
  PanelCeilings(const CeilingContext& context, Until until, Gathered gathered)
      : context_(context),
        now_(until == Until::now),
        end_(now_ ? context.norms.points() : context.norms.horizon()),
        gathered_(gathered),
        lanes_(lanes_for(gathered.size())) {
    take_costs();
  }

  /// One bound for all fantasies of the one GP: with the highest incumbent, the lowest mean and the longest normals.
  void loosest(ScratchPool& scratch, double* out) {
    const CpuField& field = context_.fields.front()->field();
    prepare(0);
    const double* const most = now_ ? context_.norms.most_now() : context_.norms.most_ahead();
    for (std::size_t j = 0; j < lanes_; ++j) {
      const std::size_t version = context_.versions[candidate(j)];
      const double* const means = field.mean_row(0, 0) + mean_offsets_[j];
      norm_[j] = most[version];
      mean_[j] = means[0];
      // Means of a candidate that has seen no fantasised point are all the same.
      for (std::size_t f = 1; version > 0 && f < field.means(); ++f)
        mean_[j] = std::min(mean_[j], means[f * panel_width]);
    }
    const auto incumbents = context_.request.incumbents;
    PanelBounds<typename Score::Reduction> bounds(scratch, 1, lanes_);
    add(bounds, 0, *std::max_element(incumbents.begin(), incumbents.end()));
    write(bounds, out);
  }

  void all(ScratchPool& scratch, double* out) {
    const std::size_t members = context_.fields.size();
    const std::size_t fantasies = distinct(context_, now_);
    const std::size_t of_member = fantasies / members;
    const double* const norms = now_ ? context_.norms.now() : context_.norms.ahead();
    PanelBounds<typename Score::Reduction> bounds(scratch, fantasies, lanes_);
    for (std::size_t m = 0; m < members; ++m) {
      const CpuField& field = context_.fields[m]->field();
      prepare(m);
      const double* const own_norms = norms + m * (context_.norms.fantasies() / members);
      for (std::size_t f = 0; f < of_member; ++f) {
        const std::size_t row = field.means() == 1 ? 0 : f;
        const double* means = field.mean_row(0, row);
        for (std::size_t j = 0; j < lanes_; ++j) {
          mean_[j] = means[mean_offsets_[j]];
          norm_[j] = own_norms[context_.versions[candidate(j)] * context_.norms.fantasies() + f];
        }
        add(bounds, m * of_member + f, context_.request.incumbents[m * field.means() + row]);
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
  std::size_t candidate(std::size_t j) const { return gathered_[std::min(j, gathered_.size() - 1)]; }

  /// Those that make scores the highest.
  void take_costs() {
    const bool rises = Score::rises_with_cost_variance(context_.request.acquisition.moment);
    for (std::size_t j = 0; j < lanes_; ++j) {
      const std::size_t one = candidate(j);
      const kernels::LogCost cost = log_cost_at(context_.request, one / panel_width, one % panel_width);
      const bool finished = context_.cost == nullptr || context_.cost->finished(one);
      cost_mean_[j] = cost.mean;
      cost_variance_[j] = kernels::bounding_cost_variance(cost.variance, finished, rises);
    }
  }
  kernels::LogCost cost(std::size_t j) const {
    return {context_.request.log_cost != nullptr, cost_mean_[j], cost_variance_[j]};
  }

  /// What scores under GP m are made of.
  void prepare(std::size_t m) {
    const LazyField& lazy = *context_.fields[m];
    const CpuField& field = lazy.field();
    for (std::size_t j = 0; j < lanes_; ++j) {
      const std::size_t p = candidate(j) / panel_width, lane = candidate(j) % panel_width;
      mean_offsets_[j] = p * panel_width * field.means() + lane;
      deviation_[j] = field.variance_at(p, lane);
      missed_[j] = static_cast<double>(end_ - context_.versions[candidate(j)]);
    }
    for (std::size_t j = 0; j < lanes_; ++j) {
      deviation_[j] = lazy.bounding_deviation(deviation_[j], missed_[j], end_);
      const auto [first, second] = Score::prepare_bound(context_.request.acquisition, deviation_[j], cost(j));
      prepared_[0][j] = first;
      prepared_[1][j] = second;
    }
  }

  template <class Bounds>
  void add(Bounds& bounds, std::size_t fantasy, double incumbent) const {
    bounds.add(fantasy, [&](std::size_t j) {
      return Score::bound({prepared_[0][j], prepared_[1][j]}, incumbent, mean_[j], norm_[j]);
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
  alignas(64) double prepared_[2][panel_width];
  alignas(64) double deviation_[panel_width];
  alignas(64) double missed_[panel_width];  ///< fantasised points
  alignas(64) double mean_[panel_width];
  alignas(64) double norm_[panel_width];
  alignas(64) double cost_mean_[panel_width];
  alignas(64) double cost_variance_[panel_width];
  std::size_t mean_offsets_[panel_width];
};

template <class Score>
void ceilings_under(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered, double cut,
                    double* out) {
  using Ceilings = PanelCeilings<Score>;
  const bool loose_first =
      cut > -HUGE_VAL && context.fields.size() == 1 && Ceilings::distinct(context, until == Until::now) > 1;
  if (!loose_first) return Ceilings(context, until, gathered).all(scratch, out);
  Ceilings(context, until, gathered).loosest(scratch, out);
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
  Ceilings(context, until, {reaching, count}).all(scratch, tighter);
  for (std::size_t i = 0; i < count; ++i) out[places[i]] = tighter[i];
}

}  // namespace

void ceilings_of(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered, double cut,
                 double* out) {
  const auto fill = [&](auto type) {
    using Score = typename decltype(type)::type;
    if constexpr (Score::has_ceilings)
      ceilings_under<Score>(context, until, scratch, gathered, cut, out);
    else
      std::fill_n(out, gathered.size(), HUGE_VAL);
    return true;
  };
  kernels::visit_score(context.request.acquisition.which, fill, false);
}

}  // namespace carbo::internal
