#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <carbo/cuda.hpp>
#include <carbo/dlpack.hpp>

#include "emulator_control.h"
#include "support/dlpack_tensor.hpp"
#include "support/selector_scene.hpp"

// Scores in device memory of their own, as a vector or as a DLPack tensor: theirs for as long as they live, and no
// longer.
namespace carbo {
namespace {

using namespace test;
using internal::dlpack::DeviceKind;

const SelectorScene& owned_scene() {
  static const SelectorScene the_scene(60, 10);
  return the_scene;
}

TEST(CudaSelectorScores, OutliveTheSelector) {
  const unsigned long long before = emulator_device_bytes();
  {
    OwnedVector owned;
    std::vector<double> expected;
    {
      Selector selector = owned_scene().ready(on_device());
      expected = dense_scores(selector);
      owned = selector.scores({});
    }
    EXPECT_EQ(owned.memory, Memory::device);
    EXPECT_EQ(owned.device, 0);
    ASSERT_EQ(owned.size, expected.size());
    std::vector<double> found(owned.size);
    ASSERT_EQ(cudaMemcpy(found.data(), owned.data.get(), owned.size * sizeof(double), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(emulator_device_bytes(), before);
}

template <class Tensor>
void expect_scores_handed_over(Tensor* (*hand_over)(OwnedVector)) {
  const unsigned long long before = emulator_device_bytes();
  Tensor* tensor = nullptr;
  std::vector<double> expected;
  {
    Selector selector = owned_scene().ready(on_device());
    expected = dense_scores(selector);
    tensor = hand_over(selector.scores({}));
  }
  auto& seen = test::seen(tensor);
  EXPECT_EQ(seen.tensor.device.kind, DeviceKind::cuda);
  EXPECT_EQ(seen.tensor.device.id, 0);
  ASSERT_EQ(seen.tensor.shape[0], 60);
  std::vector<double> found(60);
  ASSERT_EQ(cudaMemcpy(found.data(), seen.tensor.data, 60 * sizeof(double), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(found, expected);
  EXPECT_GT(emulator_device_bytes(), before);
  seen.deleter(&seen);
  EXPECT_EQ(emulator_device_bytes(), before);
}

TEST(CudaDlpack, ScoresAreHandedOverAndOutliveTheSelector) {
  expect_scores_handed_over(to_dlpack);
  expect_scores_handed_over(to_dlpack_versioned);
}

}  // namespace
}  // namespace carbo
