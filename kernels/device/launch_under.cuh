#pragma once

#include <cuda_runtime_api.h>

#include "acquisition/table.hpp"
#include "device/score_view.hpp"

namespace carbo::kernels {

/// start(std::type_identity<Score>) of the acquisition that a view is scored under, and the error of what it
/// launched.
template <class Start>
cudaError_t launch_under(const ScoreView& view, const Start& start) {
  const auto launch = [&](auto score) {
    start(score);
    return cudaGetLastError();
  };
  return visit_score(view.acquisition.which, launch, cudaErrorInvalidValue);
}

}  // namespace carbo::kernels
