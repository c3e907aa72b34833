#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/factor.hpp"
#include "backend/cpu/panel.hpp"

namespace carbo::internal {

/// How long a candidate's responses r to fantasised points that it has not seen can be, without the rows between.
/// With v = L⁻¹k(X, x) over the rows before point t, |r_t(x)| ≤ (k(x, x_t) + ‖v(x)‖ ‖v(x_t)‖) / ℓ_t: next to nothing
/// where one of both is far from all rows. ‖v(x)‖² is at most ‖k(X, x)‖² over the least noise, and is known where x
/// is finished.
class ResponseBounds {
 public:
  /// Whether noise is large enough for ‖k(X, x)‖² to say something.
  static bool squares_help(const CpuFactor& factor);

  void resize(std::size_t candidates) { of_.resize(candidates); }
  bool empty() const { return of_.empty(); }
  /// ‖k(X, x)‖² over all rows that there are.
  void set_squares(std::size_t candidate, double squares) { of_[candidate].squares = squares; }
  /// Counts in fantasised point t for candidates of which `seen[j]` were seen before; `covariances` are those with
  /// it. `explained[j]` is ‖v‖² over the observed rows and the points that were seen; infinite where it is not known.
  void add(const CpuFactor& factor, std::size_t t, std::span<const std::uint32_t> candidates,
           std::span<const std::uint32_t> seen, const double* covariances, const double* explained);
  /// First point that is still to be counted in.
  std::size_t next(std::size_t candidate, std::uint32_t seen) const {
    const One& own = of_[candidate];
    return own.seen == seen ? own.counted : seen;
  }
  /// Of the responses to all points [seen, points); infinite where these were not counted in.
  double length(std::size_t candidate, std::uint32_t seen, std::size_t points) const {
    const One& own = of_[candidate];
    constexpr double rounding = 1e-9;
    return own.seen == seen && own.counted == points ? (1.0 + rounding) * std::sqrt(own.lengths) : HUGE_VAL;
  }

 private:
  struct One {
    double squares = HUGE_VAL;  ///< ‖k(X, x)‖² from above
    double lengths = 0;         ///< Σ r² from above, over points [seen, counted)
    std::uint32_t seen = 0;
    std::uint32_t counted = 0;
  };
  std::vector<One> of_;
};

}  // namespace carbo::internal
