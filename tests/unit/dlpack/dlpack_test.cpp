#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <carbo/dlpack.hpp>
#include <carbo/error.hpp>

#include "support/dlpack_tensor.hpp"
#include "support/expect_refused.hpp"

// Views of DLPack tensors, in both forms of the interface.
namespace carbo {
namespace {

using internal::dlpack::DeviceKind;
using internal::dlpack::TypeCode;
using test::DlpackTensor;
using Reason = InvalidArray::Reason;
using Sizes = std::vector<std::int64_t>;

/// Runs `check` on both forms of a tensor.
template <class Check>
void both(DlpackTensor& tensor, const Check& check) {
  {
    SCOPED_TRACE("DLManagedTensor");
    check(tensor.unversioned());
  }
  SCOPED_TRACE("DLManagedTensorVersioned");
  check(tensor.versioned());
}

void expect_matrix_refused(DlpackTensor& tensor, Reason reason, const std::vector<std::string>& parts) {
  both(tensor, [&](const auto* given) { expect_refused(reason, parts, [&] { matrix_from_dlpack(given); }); });
}
void expect_vector_refused(DlpackTensor& tensor, Reason reason, const std::vector<std::string>& parts) {
  both(tensor, [&](const auto* given) {
    expect_refused(reason, parts, [&] { values_from_dlpack(given); });
    expect_refused(reason, parts, [&] { room_from_dlpack(given); });
  });
}

const std::array<double, 24> numbers{};
const std::array<float, 24> short_numbers{};

/// The view of a matrix of 4 × 3, or of the sizes that are given.
struct Layout {
  std::optional<Sizes> strides;
  Order order;
  std::size_t leading_dimension;
  Sizes shape = {4, 3};
};

TEST(DlpackMatrix, EveryLayoutWithNeighboursInRowsOrColumnsIsViewed) {
  for (const Layout& layout : {Layout{{}, Order::row_major, 0},
                               {Sizes{3, 1}, Order::row_major, 3},
                               {Sizes{5, 1}, Order::row_major, 5},
                               {Sizes{1, 4}, Order::column_major, 4},
                               {Sizes{1, 6}, Order::column_major, 6},
                               {Sizes{6, 77}, Order::row_major, 6, {4, 1}},
                               {Sizes{1, 77}, Order::row_major, 1, {4, 1}},
                               {Sizes{77, 1}, Order::row_major, 0, {1, 3}},
                               {Sizes{77, 5}, Order::column_major, 5, {1, 3}},
                               {Sizes{0, 0}, Order::row_major, 0, {1, 1}}}) {
    SCOPED_TRACE(layout.strides ? (*layout.strides)[0] : -1);
    DlpackTensor tensor(numbers.data(), layout.shape, layout.strides);
    both(tensor, [&](const auto* given) {
      const MatrixRef view = matrix_from_dlpack(given);
      EXPECT_EQ(view.data, numbers.data());
      EXPECT_EQ(view.scalar, Scalar::float64);
      EXPECT_EQ(view.memory, Memory::host);
      EXPECT_EQ(view.order, layout.order);
      EXPECT_EQ(view.rows, static_cast<std::size_t>(layout.shape[0]));
      EXPECT_EQ(view.columns, static_cast<std::size_t>(layout.shape[1]));
      EXPECT_EQ(view.leading_dimension, layout.leading_dimension);
    });
    EXPECT_EQ(tensor.given_back, 0);
  }
}

TEST(DlpackMatrix, TheByteOffsetCounts) {
  DlpackTensor tensor(short_numbers.data(), {4, 3});
  tensor.tensor.byte_offset = 8 * sizeof(float);
  both(tensor, [&](const auto* given) {
    EXPECT_EQ(matrix_from_dlpack(given).data, short_numbers.data() + 8);
    EXPECT_EQ(matrix_from_dlpack(given).scalar, Scalar::float32);
  });
}

TEST(DlpackMatrix, PinnedMemoryIsHostMemoryAndManagedMemoryIsDeviceMemory) {
  DlpackTensor tensor(numbers.data(), {4, 3});
  for (const auto& [kind, memory] : {std::pair{DeviceKind::cpu, Memory::host},
                                     {DeviceKind::cuda_host, Memory::host},
                                     {DeviceKind::cuda, Memory::device},
                                     {DeviceKind::cuda_managed, Memory::device}}) {
    tensor.tensor.device.kind = kind;
    both(tensor, [&, where = memory](const auto* given) { EXPECT_EQ(matrix_from_dlpack(given).memory, where); });
  }
  tensor.tensor.device.kind = static_cast<DeviceKind>(10);  // ROCm
  expect_matrix_refused(tensor, Reason::not_device_memory, {"kind 10", "CUDA device (2 or 13)"});
}

TEST(DlpackMatrix, EmptyOnesNeedNoData) {
  for (const Sizes& shape : {Sizes{0, 3}, Sizes{4, 0}}) {
    DlpackTensor tensor(static_cast<double*>(nullptr), shape, Sizes{0, 0});
    both(tensor, [&](const auto* given) {
      const MatrixRef view = matrix_from_dlpack(given);
      EXPECT_EQ(view.data, nullptr);
      EXPECT_EQ(view.rows, static_cast<std::size_t>(shape[0]));
      EXPECT_EQ(view.columns, static_cast<std::size_t>(shape[1]));
    });
  }
}

TEST(DlpackMatrix, OtherLayoutsAreRefused) {
  const auto refused = [](Sizes strides, Reason reason, const std::vector<std::string>& parts) {
    SCOPED_TRACE(parts[0]);
    DlpackTensor tensor(numbers.data(), {4, 3}, strides);
    expect_matrix_refused(tensor, reason, parts);
  };
  refused({6, 2}, Reason::shape, {"strides are (6, 2)", "(s, 1)", "(1, s)"});
  refused({3, -1}, Reason::shape, {"strides are (3, -1)"});
  refused({-3, 1}, Reason::leading_dimension, {"rows of 3 elements begin -3 elements apart", "at least 3"});
  refused({2, 1}, Reason::leading_dimension, {"rows of 3 elements begin 2 elements apart", "at least 3"});
  refused({1, 1}, Reason::leading_dimension, {"rows of 3 elements begin 1 elements apart"});
  refused({1, 3}, Reason::leading_dimension, {"columns of 4 elements begin 3 elements apart", "at least 4"});
  refused({0, 1}, Reason::overlapping, {"rows all lie in the same place", "copy"});
  refused({1, 0}, Reason::overlapping, {"columns all lie in the same place", "copy"});
  refused({0, 0}, Reason::overlapping, {"strides are (0, 0)"});
}

TEST(DlpackMatrix, WhatIsNotAMatrixOfNumbersIsRefused) {
  DlpackTensor flat(numbers.data(), {12});
  expect_matrix_refused(flat, Reason::shape, {"has 1 dimensions", "give 2"});
  DlpackTensor scalar(numbers.data(), {});
  expect_matrix_refused(scalar, Reason::shape, {"has 0 dimensions"});
  DlpackTensor negative(numbers.data(), {4, -3});
  expect_matrix_refused(negative, Reason::shape, {"shape[1] is -3", "0 or above"});
  DlpackTensor no_data(static_cast<double*>(nullptr), {4, 3});
  expect_matrix_refused(no_data, Reason::null_pointer, {"data is null"});
  DlpackTensor no_shape(numbers.data(), {4, 3});
  no_shape.tensor.shape = nullptr;
  expect_matrix_refused(no_shape, Reason::null_pointer, {"shape is null"});
  const std::int64_t integers[12] = {};
  DlpackTensor of_integers(integers, {4, 3});
  expect_matrix_refused(of_integers, Reason::shape, {"elements are int64", "float32 or float64"});
  DlpackTensor half(numbers.data(), {4, 3});
  half.tensor.type.bits = 16;
  expect_matrix_refused(half, Reason::shape, {"elements are float16"});
  half.tensor.type = {static_cast<TypeCode>(4), 16, 1};
  expect_matrix_refused(half, Reason::shape, {"elements are bfloat16"});
  half.tensor.type = {static_cast<TypeCode>(200), 8, 1};
  expect_matrix_refused(half, Reason::shape, {"type code 200 of 8"});
  half.tensor.type = {TypeCode::floating_point, 32, 4};
  expect_matrix_refused(half, Reason::shape, {"float32 in 4 lanes"});
}

TEST(DlpackPointer, NoneIsRefused) {
  expect_refused(Reason::null_pointer, {"DLManagedTensor"},
                 [] { matrix_from_dlpack(static_cast<const DLManagedTensor*>(nullptr)); });
  expect_refused(Reason::null_pointer, {"DLManagedTensorVersioned"},
                 [] { room_from_dlpack(static_cast<const DLManagedTensorVersioned*>(nullptr)); });
}

/// Behind the version of another major one anything may lie: it is not read.
TEST(DlpackVersion, AnotherMajorOneIsRefused) {
  DlpackTensor tensor(numbers.data(), {4, 3});
  tensor.version = {1, 99};
  EXPECT_EQ(matrix_from_dlpack(tensor.versioned()).data, numbers.data());
  for (const std::uint32_t major : {0u, 2u}) {
    const auto version = std::make_unique<internal::dlpack::Version>(internal::dlpack::Version{major, 3});
    const auto* const other = reinterpret_cast<const DLManagedTensorVersioned*>(version.get());
    expect_refused(Reason::shape, {"DLPack " + std::to_string(major) + ".3", "versions 1.x", "max_version=(1, 0)"},
                   [&] { matrix_from_dlpack(other); });
  }
}

TEST(DlpackVector, ContiguousOnesAreViewed) {
  std::vector<float> values(5);
  for (const std::optional<Sizes>& strides : {std::optional<Sizes>{}, std::optional(Sizes{1})}) {
    DlpackTensor tensor(values.data(), {5}, strides);
    both(tensor, [&](const auto* given) {
      const VectorRef view = values_from_dlpack(given);
      EXPECT_EQ(view.data, values.data());
      EXPECT_EQ(view.size, 5u);
      EXPECT_EQ(view.scalar, Scalar::float32);
      const MutableVectorRef room = room_from_dlpack(given);
      EXPECT_EQ(room.data, values.data());
      EXPECT_EQ(room.size, 5u);
      EXPECT_EQ(room.scalar, Scalar::float32);
    });
  }
  DlpackTensor one(values.data(), {1}, Sizes{9});
  EXPECT_EQ(values_from_dlpack(one.versioned()).size, 1u);
  DlpackTensor none(static_cast<double*>(nullptr), {0}, Sizes{1});
  EXPECT_EQ(values_from_dlpack(none.versioned()).size, 0u);
}

TEST(DlpackVector, OtherLayoutsAreRefused) {
  DlpackTensor gaps(numbers.data(), {5}, Sizes{2});
  expect_vector_refused(gaps, Reason::shape, {"elements are 2 apart", "stride 1"});
  DlpackTensor backwards(numbers.data(), {5}, Sizes{-1});
  expect_vector_refused(backwards, Reason::shape, {"elements are -1 apart"});
  DlpackTensor broadcast(numbers.data(), {5}, Sizes{0});
  expect_vector_refused(broadcast, Reason::overlapping, {"elements are 0 apart"});
  DlpackTensor matrix(numbers.data(), {5, 1});
  expect_vector_refused(matrix, Reason::shape, {"has 2 dimensions", "give 1"});
}

TEST(DlpackVector, OneThatIsReadOnlyIsNotWrittenTo) {
  DlpackTensor tensor(numbers.data(), {5});
  tensor.flags = 1;
  EXPECT_EQ(values_from_dlpack(tensor.versioned()).size, 5u);
  expect_refused(Reason::shape, {"read-only"}, [&] { room_from_dlpack(tensor.versioned()); });
  tensor.flags = 2;  // a copy that the producer made
  EXPECT_EQ(room_from_dlpack(tensor.versioned()).data, numbers.data());
}

TEST(DlpackIndices, AreSixtyFourBitIntegers) {
  std::vector<std::int64_t> rows = {4, 2, 9};
  DlpackTensor tensor(rows.data(), {3});
  both(tensor, [&](const auto* given) {
    EXPECT_EQ(indices_from_dlpack(given).data, rows.data());
    EXPECT_EQ(indices_from_dlpack(given).size, 3u);
    EXPECT_EQ(index_room_from_dlpack(given).data, rows.data());
    expect_refused(Reason::shape, {"int64"}, [&] { values_from_dlpack(given); });
  });
  tensor.flags = 1;
  expect_refused(Reason::shape, {"read-only"}, [&] { index_room_from_dlpack(tensor.versioned()); });
  tensor.tensor.type.bits = 32;
  both(tensor, [&](const auto* given) {
    expect_refused(Reason::shape, {"elements are int32", "give int64"}, [&] { indices_from_dlpack(given); });
  });
}

}  // namespace
}  // namespace carbo
