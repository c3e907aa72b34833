#include "backend/cpu/score_ceiling.hpp"

#include <algorithm>

#include "acquisition/log_ei_cool.hpp"
#include "acquisition/stale_bound.hpp"

namespace carbo::internal {
namespace {

/// Above what log h, log s and their sum may err by, relative to their size; see log_h.
constexpr double relative_rounding = 1e-13;

/// The score rises with the variance of the log cost where its moment counts, so that an unfinished one is a bound;
/// it falls where the mean cost counts, and 0 is one.
double highest_cost_term(const CeilingContext& context, std::size_t candidate) {
  const bool unfinished = context.cost != nullptr && !context.cost->finished(candidate);
  const bool least = unfinished && context.request.weight == CostWeight::mean;
  return cost_term(context.request, candidate / panel_width, candidate % panel_width,
                   least ? CostVariance::least : CostVariance::full);
}

double with_margin(double value) { return value + relative_rounding * (1.0 + std::abs(value)); }

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
      const double square = last[f] - squares_[version * fantasies_ + f];
      norms[version * fantasies_ + f] = std::sqrt(square + relative_rounding * last[f]);
    }
}

namespace {

/// Sum over fantasies of upper bounds on EI, for a panel of candidates at once and without branches. A fantasy's
/// bound is factor · exp(−exponent) / √2π, so that nothing underflows however small it is.
struct PanelSum {
  double* exponents;                      ///< fantasies × panel_width
  double* factors;                        ///< fantasies × panel_width
  alignas(64) double least[panel_width];  ///< of the exponents
  alignas(64) double u[panel_width];
  alignas(64) double norm[panel_width];
  alignas(64) double log_sd[panel_width];
  alignas(64) double inverse_sd[panel_width];
  alignas(64) double sum[panel_width];

  void add_fantasy(std::size_t index) {
    double* __restrict exponent = exponents + index * panel_width;
    double* __restrict factor = factors + index * panel_width;
    for (std::size_t j = 0; j < panel_width; ++j) {
      const kernels::ImprovementBound bound = kernels::improvement_bound(u[j], norm[j]);
      factor[j] = bound.factor;
      exponent[j] = bound.exponent - log_sd[j];
      least[j] = exponent[j] < least[j] ? exponent[j] : least[j];
    }
  }

  void add_up(std::size_t fantasies) {
    std::fill_n(sum, panel_width, 0.0);
    for (std::size_t f = 0; f < fantasies; ++f) {
      const double* __restrict exponent = exponents + f * panel_width;
      const double* __restrict factor = factors + f * panel_width;
      for (std::size_t j = 0; j < panel_width; ++j)
        sum[j] += factor[j] * kernels::exp_negative(exponent[j] - least[j]);
    }
  }
};

}  // namespace

void ceilings_of(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered, double* out) {
  constexpr double log_sqrt_2pi = 0.9189385332046728;
  const std::size_t fantasies = context.norms.fantasies();
  const std::size_t a_member = fantasies / context.fields.size();
  const std::size_t end = until == Until::now ? context.norms.points() : context.norms.horizon();
  const double* norms = until == Until::now ? context.norms.now() : context.norms.ahead();
  const ScratchPool::Lease lease = scratch.borrow(2 * fantasies * panel_width);
  PanelSum panel;
  panel.exponents = lease.data();
  panel.factors = lease.data() + fantasies * panel_width;
  std::fill_n(panel.least, panel_width, HUGE_VAL);
  const auto candidate_at = [&](std::size_t j) { return gathered[std::min(j, gathered.size() - 1)]; };
  std::size_t mean_offsets[panel_width];
  std::size_t norm_offsets[panel_width];
  for (std::size_t m = 0; m < context.fields.size(); ++m) {
    const LazyField& lazy = *context.fields[m];
    const CpuField& field = lazy.field();
    for (std::size_t j = 0; j < panel_width; ++j) {
      const std::size_t candidate = candidate_at(j);
      const std::size_t p = candidate / panel_width, lane = candidate % panel_width;
      const double sd = lazy.bounding_deviation(field.variance_at(p, lane), context.versions[candidate], end);
      panel.inverse_sd[j] = 1.0 / sd;
      panel.log_sd[j] = std::log(sd);
      mean_offsets[j] = p * panel_width * field.means() + lane;
      norm_offsets[j] = context.versions[candidate] * fantasies + m * a_member;
    }
    for (std::size_t f = 0; f < a_member; ++f) {
      const std::size_t mean = field.means() == 1 ? 0 : f;
      const double* means = field.mean_row(0, mean);
      const double incumbent = context.request.incumbents[m * field.means() + mean];
      for (std::size_t j = 0; j < panel_width; ++j) {
        panel.u[j] = (incumbent - means[mean_offsets[j]]) * panel.inverse_sd[j];
        panel.norm[j] = norms[norm_offsets[j] + f];
      }
      panel.add_fantasy(m * a_member + f);
    }
  }
  panel.add_up(fantasies);
  const double log_count = std::log(static_cast<double>(fantasies)) + log_sqrt_2pi;
  for (std::size_t j = 0; j < gathered.size(); ++j) {
    const double value = (std::log(panel.sum[j]) - log_count) - panel.least[j];
    const double ceiling = with_margin(value) + context.shift + highest_cost_term(context, gathered[j]);
    // Where u² overflows nothing is known: who has no ceiling is never ruled out.
    out[j] = std::isnan(ceiling) ? HUGE_VAL : ceiling;
  }
}

}  // namespace carbo::internal
