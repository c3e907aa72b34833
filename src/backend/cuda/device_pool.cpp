#include "backend/cuda/device_pool.hpp"

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

#include <carbo/error.hpp>

#include "candidate_sets.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

std::size_t element_bytes(const DevicePool& pool) { return pool.single_precision ? sizeof(float) : sizeof(double); }

/// Whether two elements share a place: i · row_stride = j · column_stride for 0 < i < rows and 0 < j < columns, or
/// for one of them alone where its stride is 0.
bool overlaps(const DevicePool& pool) {
  if ((pool.row_stride == 0 && pool.rows > 1) || (pool.column_stride == 0 && pool.columns > 1)) return true;
  if (pool.rows == 1 || pool.columns == 1) return false;
  const std::size_t common = std::gcd(pool.row_stride, pool.column_stride);
  return pool.column_stride / common < pool.rows && pool.row_stride / common < pool.columns;
}

/// Elements from the first to the last, both counted; throws where their bytes pass the address space.
std::size_t extent(const DevicePool& pool) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(double) / 4;
  const auto span = [](std::size_t count, std::size_t stride) {
    return stride != 0 && count - 1 > most / stride ? most : (count - 1) * stride;
  };
  const std::size_t last = span(pool.rows, pool.row_stride) + span(pool.columns, pool.column_stride);
  if (last >= most)
    throw InvalidOptions(text("device pool: ", pool.rows, " rows of stride ", pool.row_stride, " and ", pool.columns,
                              " columns of stride ", pool.column_stride, " pass the address space"));
  return last + 1;
}

void check_place(const Context& context, const void* address, const char* which) {
  cudaPointerAttributes attributes{};
  context.check(cudaPointerGetAttributes(&attributes, address), "asking where the device pool lies");
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
    throw InvalidOptions(text("device pool: its ", which,
                              " element is not in device memory; give a pointer to memory "
                              "of device ",
                              context.device(), " with room for all rows"));
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != context.device())
    throw InvalidOptions(text("device pool: it lies on device ", attributes.device,
                              ", but the backend runs on device ", context.device()));
}

void check_layout(const DevicePool& pool) {
  if (pool.data == nullptr) throw InvalidOptions("device pool: the pointer is null");
  if (reinterpret_cast<std::uintptr_t>(pool.data) % element_bytes(pool) != 0)
    throw InvalidOptions(text("device pool: its address must be a multiple of ", element_bytes(pool), " bytes"));
  if (overlaps(pool))
    throw InvalidOptions(
        text("device pool: ", pool.rows, " rows of stride ", pool.row_stride, " and ", pool.columns,
             " columns of stride ", pool.column_stride,
             " overlap; row-major needs a row stride of at least the columns and a column stride of 1"));
}

/// The element as a double.
double element(const Context& context, const DevicePool& pool, std::size_t row, std::size_t column) {
  const std::size_t at = row * pool.row_stride + column * pool.column_stride;
  if (pool.single_precision)
    return static_cast<double>(context.download_one(static_cast<const float*>(pool.data) + at));
  return context.download_one(static_cast<const double*>(pool.data) + at);
}

void check_values(const Context& context, const DevicePool& pool, const kernels::CandidateView& view) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  auto first = context.buffer<std::uint64_t>(1);
  context.upload<std::uint64_t>(first.data(), {&none, 1});
  context.check(kernels::launch_first_not_finite(context.stream(), view, first.data()), "checking the device pool");
  const std::uint64_t at = context.download_one(first.data());
  if (at == none) return;
  const std::size_t row = at / pool.columns, column = at % pool.columns;
  throw NumericalError(text("candidates: row ", row, ", column ", column, " is ", element(context, pool, row, column),
                            "; every value must be finite"));
}

}  // namespace

kernels::CandidateView checked_view(const Context& context, const DevicePool& pool) {
  check_layout(pool);
  const std::size_t bytes = extent(pool) * element_bytes(pool);
  check_place(context, pool.data, "first");
  check_place(context, static_cast<const std::byte*>(pool.data) + bytes - element_bytes(pool), "last");
  const kernels::CandidateView view{pool.data,       pool.single_precision, pool.rows, static_cast<int>(pool.columns),
                                    pool.row_stride, pool.column_stride};
  check_values(context, pool, view);
  return view;
}

}  // namespace carbo::internal
