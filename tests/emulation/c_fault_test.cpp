#include "c/device_scene.hpp"
#include "emulator_control.hpp"

// The C face where a call fails on the device.
namespace c_scene {
namespace {

TEST(CudaCFace, ACallThatFailsOnTheDeviceIsADeviceErrorAndTheSelectorGoesOn) {
  DeviceScene scene;
  const std::vector<std::int64_t> expected = DeviceScene().suggest(2);
  {
    const emulator::Fault launch("cudaLaunchKernel:1");
    expect_failure(carbo_selector_fit(scene.selector, nullptr), CARBO_DEVICE_ERROR);
  }
  EXPECT_EQ(scene.suggest(2), expected);
}

}  // namespace
}  // namespace c_scene
