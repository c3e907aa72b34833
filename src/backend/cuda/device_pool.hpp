#pragma once

#include "backend/cuda/context.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "device_views.hpp"

namespace carbo::internal {

/// A view of an application's pool of at least one row and one column, checked as CudaBackendFace::borrow_candidates
/// says. Waits for the device; the context's device is current.
kernels::CandidateView checked_view(const Context& context, const DevicePool& pool);

}  // namespace carbo::internal
