#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "backend/matrix_view.hpp"
#include "sampling/sobol_points.hpp"

namespace carbo::internal {

/// Candidates of a Sobol sample, in order: points by index, then rows that are given.
struct SobolRows {
  const SobolRecipe* recipe = nullptr;
  std::uint32_t first = 0;                   ///< index of the first point, where `indices` is empty
  std::size_t points = 0;                    ///< at least one; the last index is below 2^32
  std::span<const std::uint32_t> indices{};  ///< of all points, ascending; where empty: first, first + 1, …
  MatrixView others{};                       ///< encoded rows that follow the points; may be empty
};

/// Ω̃ resident on the backend, with a mask of what may be picked and the running distance to the design.
class CandidateSet {
 public:
  virtual ~CandidateSet() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t available() const = 0;
  /// Rows that may no longer be picked; those already excluded are passed over.
  virtual void exclude(std::span<const std::size_t> indices) = 0;
  void exclude(std::size_t index) { exclude(std::span<const std::size_t>(&index, 1)); }
  /// Takes back `exclude`; rows that may be picked are passed over.
  virtual void readmit(std::span<const std::size_t> indices) = 0;
  virtual bool is_available(std::size_t index) const = 0;
  /// Encoded coordinates, one row after the other.
  virtual void read(std::span<const std::size_t> indices, std::span<double> to) const = 0;
  /// Distance of each candidate to the nearest of these points; infinity where there are none.
  virtual void set_design(MatrixView points) = 0;
  virtual void add_design_point(std::span<const double> point) = 0;
  /// Radius of the largest empty ball: the greatest distance to the design over all candidates.
  virtual double fill() const = 0;
};

/// Makes sets of candidates resident.
class CandidateBackend {
 public:
  virtual ~CandidateBackend() = default;

  /// What is given may change as soon as a call returns.
  virtual std::unique_ptr<CandidateSet> make_candidates(MatrixView encoded) = 0;
  /// The set that the encoded rows of the sample would make; on a device to rounding.
  virtual std::unique_ptr<CandidateSet> make_candidates(const SobolRows& rows) = 0;
};

}  // namespace carbo::internal
