#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "acquisition/reductions.hpp"
#include "backend/cpu/covariance.hpp"
#include "backend/cpu/scratch.hpp"

namespace carbo::internal {

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

}  // namespace carbo::internal
