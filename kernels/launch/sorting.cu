#include "launch/sorting.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

namespace carbo::kernels {

cudaError_t sort_by_key(cudaStream_t stream, void* workspace, std::size_t& bytes, const std::uint64_t* keys,
                        std::uint64_t* sorted_keys, const std::uint32_t* values, std::uint32_t* sorted_values,
                        std::size_t count) {
  if (count == 0) {
    bytes = 1;
    return cudaSuccess;
  }
  return cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, sorted_keys, values, sorted_values, count, 0, 64,
                                         stream);
}

cudaError_t select_flagged(cudaStream_t stream, void* workspace, std::size_t& bytes, const std::uint8_t* flags,
                           std::uint32_t* indices, std::uint64_t* selected, std::size_t count) {
  if (count == 0) {
    bytes = 1;
    return workspace == nullptr ? cudaSuccess : cudaMemsetAsync(selected, 0, sizeof *selected, stream);
  }
  const thrust::counting_iterator<std::uint32_t> all(0);
  return cub::DeviceSelect::Flagged(workspace, bytes, all, flags, indices, selected, static_cast<std::int64_t>(count),
                                    stream);
}

}  // namespace carbo::kernels
