#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <carbo/space.hpp>

namespace carbo::internal {

/// Two samples A and B of a space, drawn apart, and A with one parameter's values taken from B. Together they are one
/// scrambled Sobol sequence of twice as many dimensions as there are parameters; of more than 50 parameters the rows
/// of B are shuffled instead, because the sequence has no more dimensions.
class PairedSample {
 public:
  /// Values of each parameter are as likely as Space::from_unit has it; constraints do not count. `points`: a power
  /// of 2, at least 1, at most 2^31. Different `sequence`s are randomised apart.
  PairedSample(const Space& space, std::size_t points, std::uint64_t seed, std::uint64_t sequence);

  std::size_t points() const { return points_; }
  /// Numbers of all points, row-major.
  std::span<const double> first() const { return first_; }
  std::span<const double> second() const { return second_; }
  /// The first with `parameter` from the second.
  std::vector<double> mixed(std::size_t parameter) const;

 private:
  std::size_t points_;
  std::size_t parameters_;
  std::vector<double> first_, second_;
};

/// What a function's values at a PairedSample come to, summed over any number of them.
class VarianceShares {
 public:
  explicit VarianceShares(std::size_t parameters) : not_alone_(parameters), total_(parameters) {}

  /// Values at A and at B; then, for each parameter, those at `mixed`.
  void add_samples(std::span<const double> first, std::span<const double> second);
  void add_mixed(std::size_t parameter, std::span<const double> first, std::span<const double> second,
                 std::span<const double> mixed);

  /// Mean over the samples; 0 where the function is constant to rounding.
  double variance() const;
  /// Jansen's estimates, kept within [0, 1]; 0 where the variance is.
  double first_order(std::size_t parameter) const;
  double total(std::size_t parameter) const;

 private:
  double samples_ = 0;
  double variance_ = 0;            ///< sum over the samples
  double largest_ = 0;             ///< value in magnitude
  std::vector<double> not_alone_;  ///< sums of E[(f(B) − f(mixed))²] / 2, which is V − V_p
  std::vector<double> total_;      ///< sums of E[(f(A) − f(mixed))²] / 2
};

}  // namespace carbo::internal
