#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace carbo::internal {

/// ‖z‖ of each fantasy over the points (version, horizon]: how far the means of a candidate may have moved.
class NormTable {
 public:
  explicit NormTable(std::size_t fantasies) : fantasies_(fantasies), squares_(fantasies, 0.0) { expect({}); }
  /// Normals of one more fantasised point, over all members.
  void add(std::span<const double> normals);
  /// Points that will follow: rows of as many normals.
  void expect(std::span<const double> normals_ahead);
  std::size_t points() const { return points_; }
  std::size_t fantasies() const { return fantasies_; }
  /// Points up to which norms are taken.
  std::size_t horizon() const { return horizon_; }
  /// Whether the points fantasised since `expect` had the normals that it was given.
  bool as_expected() const { return points_ <= horizon_ && as_expected_; }
  /// Norms from a version to now, or to the horizon: (points + 1) versions × fantasies.
  const double* now() const { return now_.norms.data(); }
  const double* ahead() const { return ahead_.norms.data(); }
  /// The longest of each version's.
  const double* most_now() const { return now_.most.data(); }
  const double* most_ahead() const { return ahead_.most.data(); }

 private:
  struct Norms {
    std::vector<double> norms;
    std::vector<double> most;
  };
  void fill(std::size_t end, Norms& to) const;

  std::size_t fantasies_;
  std::size_t points_ = 0;
  std::size_t horizon_ = 0;
  bool as_expected_ = true;
  std::vector<double> squares_;   ///< running sums of z², (points, then those ahead) × fantasies
  std::vector<double> expected_;  ///< normals ahead, as given
  Norms now_;
  Norms ahead_;
};

}  // namespace carbo::internal
