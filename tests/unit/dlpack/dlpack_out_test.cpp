#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <carbo/dlpack.hpp>
#include <carbo/error.hpp>
#include <carbo/selector.hpp>

#include "support/dlpack_tensor.hpp"
#include "support/expect_refused.hpp"
#include "support/selector_scene.hpp"

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif

// Vectors as DLPack tensors, and the layout of these beside the official header where it is installed.
namespace carbo {
namespace {

using internal::dlpack::DeviceKind;
using internal::dlpack::TypeCode;
using Reason = InvalidArray::Reason;

#if __has_include(<dlpack/dlpack.h>)
template <class Official, class Own>
constexpr bool alike = sizeof(Official) == sizeof(Own) && alignof(Official) == alignof(Own);

TEST(DlpackLayout, IsTheOfficialHeaders) {
  namespace own = internal::dlpack;
  static_assert(alike<DLTensor, own::Tensor> && alike<DLManagedTensor, own::ManagedTensor>);
  EXPECT_EQ(offsetof(DLTensor, data), offsetof(own::Tensor, data));
  EXPECT_EQ(offsetof(DLTensor, device), offsetof(own::Tensor, device));
  EXPECT_EQ(offsetof(DLTensor, ndim), offsetof(own::Tensor, dimensions));
  EXPECT_EQ(offsetof(DLTensor, dtype), offsetof(own::Tensor, type));
  EXPECT_EQ(offsetof(DLTensor, shape), offsetof(own::Tensor, shape));
  EXPECT_EQ(offsetof(DLTensor, strides), offsetof(own::Tensor, strides));
  EXPECT_EQ(offsetof(DLTensor, byte_offset), offsetof(own::Tensor, byte_offset));
  EXPECT_EQ(offsetof(DLDataType, bits), offsetof(own::DataType, bits));
  EXPECT_EQ(offsetof(DLDataType, lanes), offsetof(own::DataType, lanes));
  EXPECT_EQ(offsetof(DLManagedTensor, manager_ctx), offsetof(own::ManagedTensor, context));
  EXPECT_EQ(offsetof(DLManagedTensor, deleter), offsetof(own::ManagedTensor, deleter));
  EXPECT_EQ(kDLCPU, static_cast<int>(DeviceKind::cpu));
  EXPECT_EQ(kDLCUDA, static_cast<int>(DeviceKind::cuda));
  EXPECT_EQ(kDLCUDAHost, static_cast<int>(DeviceKind::cuda_host));
  EXPECT_EQ(kDLCUDAManaged, static_cast<int>(DeviceKind::cuda_managed));
  EXPECT_EQ(kDLInt, static_cast<unsigned>(TypeCode::signed_integer));
  EXPECT_EQ(kDLFloat, static_cast<unsigned>(TypeCode::floating_point));
#ifdef DLPACK_MAJOR_VERSION
  static_assert(alike<DLManagedTensorVersioned, own::ManagedTensorVersioned>);
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, version), offsetof(own::ManagedTensorVersioned, version));
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, manager_ctx), offsetof(own::ManagedTensorVersioned, context));
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, deleter), offsetof(own::ManagedTensorVersioned, deleter));
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, flags), offsetof(own::ManagedTensorVersioned, flags));
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, dl_tensor), offsetof(own::ManagedTensorVersioned, tensor));
  EXPECT_EQ(DLPACK_FLAG_BITMASK_READ_ONLY, own::read_only_flag);
  EXPECT_EQ(static_cast<unsigned>(DLPACK_MAJOR_VERSION), own::major_version);
#endif
}
#else
TEST(DlpackLayout, IsTheOfficialHeaders) { GTEST_SKIP() << "dlpack/dlpack.h is not installed (libdlpack-dev)"; }
#endif

/// A vector whose end is noted.
OwnedVector noted(std::vector<double>& values, bool& gone) {
  OwnedVector vector;
  vector.data = std::shared_ptr<void>(values.data(), [&gone](void*) { gone = true; });
  vector.size = values.size();
  return vector;
}

template <class Tensor>
void expect_handed_over(Tensor* (*hand_over)(OwnedVector)) {
  std::vector<double> values = {1, 2, 3};
  bool gone = false;
  Tensor* const tensor = hand_over(noted(values, gone));
  auto& seen = test::seen(tensor);
  EXPECT_EQ(seen.tensor.data, values.data());
  EXPECT_EQ(seen.tensor.device.kind, DeviceKind::cpu);
  EXPECT_EQ(seen.tensor.dimensions, 1);
  EXPECT_EQ(seen.tensor.shape[0], 3);
  EXPECT_EQ(seen.tensor.strides[0], 1);
  EXPECT_EQ(seen.tensor.byte_offset, 0u);
  const VectorRef back = values_from_dlpack(tensor);
  EXPECT_EQ(back.data, values.data());
  EXPECT_EQ(back.size, 3u);
  EXPECT_EQ(back.scalar, Scalar::float64);
  EXPECT_FALSE(gone);
  seen.deleter(&seen);
  EXPECT_TRUE(gone);
}

TEST(DlpackOut, HoldsTheVectorUntilItIsGivenBack) {
  expect_handed_over(to_dlpack);
  expect_handed_over(to_dlpack_versioned);
}

TEST(DlpackOut, SaysItsVersionAndThatItMayBeWrittenTo) {
  std::vector<double> values = {1};
  bool gone = false;
  DLManagedTensorVersioned* const tensor = to_dlpack_versioned(noted(values, gone));
  auto& seen = test::seen(tensor);
  EXPECT_EQ(seen.version.major, 1u);
  EXPECT_EQ(seen.flags, 0u);
  EXPECT_EQ(room_from_dlpack(tensor).data, values.data());
  seen.deleter(&seen);
}

TEST(DlpackOut, TypeAndDeviceAreTheVectors) {
  float value = 0;
  OwnedVector vector{std::shared_ptr<void>(&value, [](void*) {}), Scalar::float32, Memory::device, 1, 1};
  auto& seen = test::seen(to_dlpack(vector));
  EXPECT_EQ(seen.tensor.device.kind, DeviceKind::cuda);
  EXPECT_EQ(seen.tensor.device.id, 1);
  EXPECT_EQ(seen.tensor.type.code, TypeCode::floating_point);
  EXPECT_EQ(seen.tensor.type.bits, 32);
  EXPECT_EQ(seen.tensor.type.lanes, 1);
  seen.deleter(&seen);
}

/// A selector whose arrays are all tensors: nothing is copied on the way in, and the scores outlive it.
TEST(DlpackSelector, TakesAndGivesTensors) {
  test::SelectorScene scene(40, 10);
  std::vector<std::int64_t> rows(3);
  test::DlpackTensor pool(scene.flat_pool.data(), {40, 3}), points(scene.flat_tried.data(), {10, 3});
  test::DlpackTensor objectives(scene.objectives.data(), {10}), costs(scene.costs.data(), {10});
  test::DlpackTensor picked(rows.data(), {3});
  DLManagedTensorVersioned* tensor = nullptr;
  {
    Selector selector(scene.options());
    selector.set_pool({matrix_from_dlpack(pool.versioned())});
    selector.append({.points = matrix_from_dlpack(points.unversioned()),
                     .objectives = values_from_dlpack(objectives.unversioned()),
                     .costs = values_from_dlpack(costs.versioned())});
    tensor = to_dlpack_versioned(selector.scores({}));
    EXPECT_EQ(selector.suggest({.count = 3}, {index_room_from_dlpack(picked.versioned())}), 3u);
  }
  Selector plain = scene.ready();
  const std::vector<double> expected = test::dense_scores(plain);
  const VectorRef scores = values_from_dlpack(tensor);
  ASSERT_EQ(scores.size, 40u);
  const auto* const found = static_cast<const double*>(scores.data);
  EXPECT_EQ(std::vector<double>(found, found + 40), expected);
  EXPECT_EQ(rows, test::suggest(plain, {.count = 3}).rows);
  test::seen(tensor).deleter(&test::seen(tensor));
  for (const auto* one : {&pool, &points, &objectives, &costs, &picked}) EXPECT_EQ(one->given_back, 0);
}

TEST(DlpackOut, AVectorWithoutDataIsRefused) {
  OwnedVector vector;
  vector.size = 3;
  expect_refused(Reason::null_pointer, {"no data"}, [&] { to_dlpack(vector); });
  expect_refused(Reason::null_pointer, {"no data"}, [&] { to_dlpack_versioned(vector); });
}

}  // namespace
}  // namespace carbo
