#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/candidate_backend.hpp"
#include "backend/cuda/context.hpp"
#include "backend/cuda/upload.hpp"
#include "backend/device_access.hpp"
#include "device/device_views.hpp"

namespace carbo::internal {

/// Candidates resident on the device, by coordinate (coordinate c of candidate i at c · size + i), or borrowed from
/// the application. The mask has a copy on the host, so that asking for one candidate costs no wait.
class CudaCandidates final : public CandidateSet {
 public:
  /// Throws InvalidOptions where there is no row or no column, NumericalError where a value is not finite.
  CudaCandidates(std::shared_ptr<const Context> context, MatrixView encoded);
  /// The points are computed on the device.
  CudaCandidates(std::shared_ptr<const Context> context, const SobolRows& rows);
  /// See DeviceAccess::borrow_candidates. Waits for the device.
  CudaCandidates(std::shared_ptr<const Context> context, const DeviceMatrix& pool);

  std::size_t size() const override { return view_.size; }
  std::size_t available() const override { return available_; }
  using CandidateSet::exclude;
  void exclude(std::span<const std::size_t> indices) override;
  void readmit(std::span<const std::size_t> indices) override;
  bool is_available(std::size_t index) const override;
  /// Waits for the device.
  void read(std::span<const std::size_t> indices, std::span<double> to) const override;
  void set_design(MatrixView points) override;
  void add_design_point(std::span<const double> point) override;
  double fill() const override;

  const Context& context() const { return *context_; }
  std::size_t columns() const { return static_cast<std::size_t>(view_.columns); }
  /// For work on the context's stream, which comes after the rows from here on.
  const kernels::CandidateView& view() const {
    arriving_.await();
    return view_;
  }
  /// On the device: 1 where a candidate may be picked. For work on the context's stream, which comes after what has
  /// been marked.
  const std::uint8_t* mask() const {
    mark_on_device();
    return mask_.data();
  }
  /// On the device: infinite before the first design point.
  const double* squared_distances_to_design() const { return squared_distances_.data(); }

 private:
  void check_index(std::size_t index) const;
  void check_shape(std::size_t rows, std::size_t columns) const;
  void make_coordinates(std::size_t rows, std::size_t columns);
  void make_states();  ///< mask and distances
  /// Marks those that are not marked so already: 1 where a candidate may be picked. On the device they are marked
  /// together, when somebody looks.
  void mark(std::span<const std::size_t> indices, std::uint8_t value);
  void mark_on_device() const;
  /// `points_` with these points on the device.
  const double* upload_points(std::span<const double> points);

  std::shared_ptr<const Context> context_;
  kernels::CandidateView view_;
  std::size_t available_ = 0;
  DeviceBuffer<double> coordinates_;  ///< empty where borrowed
  ArrivingRows arriving_;
  mutable DeviceBuffer<std::uint8_t> mask_;
  DeviceBuffer<double> squared_distances_;
  /// Candidates that the device does not know yet to be marked with `marks_`.
  mutable std::vector<std::uint64_t> marked_;
  std::uint8_t marks_ = 0;
  mutable DeviceBuffer<std::uint64_t> indices_;  ///< room for them on the device
  DeviceBuffer<double> points_;                  ///< room for the points of the design that come at once
  std::vector<std::uint8_t> host_mask_;
};

}  // namespace carbo::internal
