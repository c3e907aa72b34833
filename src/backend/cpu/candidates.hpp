#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/candidate_backend.hpp"
#include "backend/cpu/covariance.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

inline std::size_t panels_of(std::size_t candidates) { return (candidates + panel_width - 1) / panel_width; }

/// Candidates in panels of panel_width, by coordinate inside a panel; the last panel repeats the last candidate.
class CpuCandidates final : public CandidateSet {
 public:
  CpuCandidates(std::shared_ptr<ThreadPool> pool, MatrixView encoded, std::size_t panels_per_tile);
  CpuCandidates(std::shared_ptr<ThreadPool> pool, const SobolRows& rows, std::size_t panels_per_tile);

  std::size_t size() const override { return size_; }
  std::size_t available() const override { return available_; }
  using CandidateSet::exclude;
  void exclude(std::span<const std::size_t> indices) override;
  void readmit(std::span<const std::size_t> indices) override;
  bool is_available(std::size_t index) const override;
  void read(std::span<const std::size_t> indices, std::span<double> to) const override;
  void set_design(MatrixView points) override;
  void add_design_point(std::span<const double> point) override;
  double fill() const override;

  std::size_t columns() const { return columns_; }
  std::size_t panels() const { return panels_of(size_); }
  /// Coordinates of one panel, columns × panel_width.
  PointColumns panel(std::size_t p) const {
    return {coordinates_.data() + p * columns_ * panel_width, panel_width, columns_};
  }
  /// 1 where a candidate may be picked; 0 in the padding.
  std::span<const std::uint8_t> mask() const { return mask_; }
  /// Squared distance to the design, infinite before the first design point; padded.
  std::span<const double> squared_distances_to_design() const { return squared_distances_; }
  /// Calls body(copy, panel) for every panel and 0 ≤ copy < copies; a tile of consecutive panels is one task.
  template <class Body>
  void for_each_panel(std::size_t copies, const Body& body) const {
    const std::size_t tiles = (panels() + panels_per_tile_ - 1) / panels_per_tile_;
    pool_->parallel_for(copies * tiles, [&](std::size_t task) {
      const std::size_t tile = task % tiles;
      const std::size_t end = std::min(panels(), (tile + 1) * panels_per_tile_);
      for (std::size_t p = tile * panels_per_tile_; p < end; ++p) body(task / tiles, p);
    });
  }

 private:
  /// All there is but coordinates.
  CpuCandidates(std::shared_ptr<ThreadPool> pool, std::size_t size, std::size_t columns, std::size_t panels_per_tile);
  void check_index(std::size_t index) const;
  /// Candidate `lane` of panel p.
  void set_coordinates(std::size_t p, std::size_t lane, std::span<const double> row);

  std::shared_ptr<ThreadPool> pool_;
  std::size_t size_;
  std::size_t columns_;
  std::size_t panels_per_tile_;
  std::size_t available_;
  std::vector<double> coordinates_;
  std::vector<std::uint8_t> mask_;
  std::vector<double> squared_distances_;
};

}  // namespace carbo::internal
