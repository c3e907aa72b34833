#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backend/cuda/context.hpp"
#include "backend/device_access.hpp"
#include "device/device_views.hpp"

namespace carbo::internal {

/// Memory of an application's, on the context's device, which is current. All throw InvalidArray as DeviceAccess
/// says.

/// A view of a matrix of at least one row and one column.
kernels::CandidateView checked_view(const Context& context, const DeviceMatrix& matrix);
/// Throws where a value is not in [0, 1]. Waits for the device.
void check_in_cube(const Context& context, const DeviceMatrix& matrix, const kernels::CandidateView& view);

/// All elements in order. Waits for the device.
void read_matrices(const Context& context, std::span<const DeviceMatrix> matrices, std::span<double> to);
void read_indices(const Context& context, const std::int64_t* from, std::span<std::int64_t> to,
                  const std::string& name);

/// Memory that may outlive the context.
std::shared_ptr<void> allocate_shared(const Context& context, std::size_t bytes);

}  // namespace carbo::internal
