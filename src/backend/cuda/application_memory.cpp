#include "backend/cuda/application_memory.hpp"

#include <limits>
#include <numeric>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/address_checks.hpp"
#include "launch/candidate_sets.cuh"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Reason = InvalidArray::Reason;

std::size_t element_bytes(const DeviceMatrix& matrix) {
  return matrix.single_precision ? sizeof(float) : sizeof(double);
}

std::string shape_text(const DeviceMatrix& matrix) {
  return text(matrix.rows, " rows of stride ", matrix.row_stride, " and ", matrix.columns, " columns of stride ",
              matrix.column_stride);
}

/// Whether two elements share a place: i · row_stride = j · column_stride for 0 < i < rows and 0 < j < columns, or
/// for one of them alone where its stride is 0.
bool overlaps(const DeviceMatrix& matrix) {
  if ((matrix.row_stride == 0 && matrix.rows > 1) || (matrix.column_stride == 0 && matrix.columns > 1)) return true;
  if (matrix.rows == 1 || matrix.columns == 1) return false;
  const std::size_t common = std::gcd(matrix.row_stride, matrix.column_stride);
  return matrix.column_stride / common < matrix.rows && matrix.row_stride / common < matrix.columns;
}

/// Elements from the first to the last, both counted; throws where their bytes pass the address space.
std::size_t extent(const DeviceMatrix& matrix) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(double) / 4;
  const auto span = [](std::size_t count, std::size_t stride) {
    return stride != 0 && count - 1 > most / stride ? most : (count - 1) * stride;
  };
  const std::size_t last = span(matrix.rows, matrix.row_stride) + span(matrix.columns, matrix.column_stride);
  if (last >= most)
    throw InvalidArray(Reason::shape, text(matrix.name, ": ", shape_text(matrix), " pass the address space"));
  return last + 1;
}

/// The element as a double.
double element(const Context& context, const DeviceMatrix& matrix, std::size_t row, std::size_t column) {
  const std::size_t at = row * matrix.row_stride + column * matrix.column_stride;
  if (matrix.single_precision)
    return static_cast<double>(context.download_one(static_cast<const float*>(matrix.data) + at));
  return context.download_one(static_cast<const double*>(matrix.data) + at);
}

}  // namespace

kernels::CandidateView checked_view(const Context& context, const DeviceMatrix& matrix) {
  if (overlaps(matrix))
    throw InvalidArray(
        Reason::overlapping,
        text(matrix.name, ": ", shape_text(matrix),
             " overlap; row-major needs a row stride of at least the columns and a column stride of 1"));
  check_device_range(context.device(), matrix.data, extent(matrix) * element_bytes(matrix), element_bytes(matrix),
                     matrix.name, context.checker());
  return {matrix.data,       matrix.single_precision, matrix.rows, static_cast<int>(matrix.columns),
          matrix.row_stride, matrix.column_stride};
}

void check_in_cube(const Context& context, const DeviceMatrix& matrix, const kernels::CandidateView& view) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  auto first = context.buffer<std::uint64_t>(1);
  context.upload<std::uint64_t>(first.data(), {&none, 1});
  context.check(kernels::launch_first_outside_cube(context.stream(), view, first.data()), "checking values");
  const std::uint64_t at = context.download_one(first.data());
  if (at == none) return;
  const std::size_t row = at / matrix.columns, column = at % matrix.columns;
  throw_outside_cube(element(context, matrix, row, column), matrix.name, row, column);
}

void read_matrices(const Context& context, std::span<const DeviceMatrix> matrices, std::span<double> to) {
  auto together = context.buffer<double>(to.size());
  std::size_t at = 0;
  for (const DeviceMatrix& matrix : matrices) {
    if (matrix.rows == 0 || matrix.columns == 0) continue;
    context.check(kernels::launch_read_rows(context.stream(), checked_view(context, matrix), nullptr, matrix.rows,
                                            together.data() + at),
                  "reading an array");
    at += matrix.rows * matrix.columns;
  }
  check_size(to.size(), at, "read, room");
  context.download(to, together.data());
}

void read_indices(const Context& context, const std::int64_t* from, std::span<std::int64_t> to,
                  const std::string& name) {
  if (to.empty()) return;
  check_device_range(context.device(), from, to.size_bytes(), sizeof(std::int64_t), name, context.checker());
  context.download(to, from);
}

std::shared_ptr<void> allocate_shared(const Context& context, std::size_t bytes) {
  void* memory = nullptr;
  context.check(cudaMalloc(&memory, bytes), "allocating device memory");
  return {memory, [](void* mine) { ignore_failure(cudaFree(mine)); }};
}

}  // namespace carbo::internal
