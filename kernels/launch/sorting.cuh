#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace carbo::kernels {

/// Both are called twice: with a null workspace they only set `bytes` to what they need, above 0, and launch nothing;
/// with that workspace they do the work, in the order of the stream. Inputs and outputs do not overlap.

/// Ascending by key; equal keys keep their order.
cudaError_t sort_by_key(cudaStream_t stream, void* workspace, std::size_t& bytes, const std::uint64_t* keys,
                        std::uint64_t* sorted_keys, const std::uint32_t* values, std::uint32_t* sorted_values,
                        std::size_t count);

/// The indices below `count`, at most 2^32, whose flag is not 0, ascending, and how many they are. `indices` has room
/// for `count`.
cudaError_t select_flagged(cudaStream_t stream, void* workspace, std::size_t& bytes, const std::uint8_t* flags,
                           std::uint32_t* indices, std::uint64_t* selected, std::size_t count);

}  // namespace carbo::kernels
