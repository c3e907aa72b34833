#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "c/scene.hpp"
#include "support/device_array.hpp"

namespace c_scene {

using carbo::test::DeviceArray;

inline carbo_selector_options device_options() {
  carbo_selector_options options = some_options(3);
  options.backend = CARBO_BACKEND_CUDA;
  options.restarts = options.cost_restarts = 1;
  options.fantasies = 2;
  return options;
}

/// A selector on device 0 whose pool lies in device memory, with twelve rows observed.
struct DeviceScene : Scene {
  explicit DeviceScene(const carbo_selector_options& options = device_options())
      : Scene(options, 0), pool_memory(problem.pool) {
    const carbo_matrix rows = device_pool();
    EXPECT_EQ(carbo_selector_set_pool(selector, &rows, nullptr), CARBO_OK) << thread_message();
    std::vector<std::int64_t> first(12);
    std::iota(first.begin(), first.end(), 0);
    EXPECT_EQ(append(first), CARBO_OK) << thread_message();
  }
  ~DeviceScene() { EXPECT_EQ(carbo_selector_destroy(std::exchange(selector, nullptr)), CARBO_OK); }

  carbo_matrix device_pool() const {
    carbo_matrix rows = pool();
    rows.memory = CARBO_DEVICE;
    rows.data = pool_memory.data();
    return rows;
  }
  template <class Change>
  void expect_pool_refused(carbo_status status, const std::string& part, const Change& change) {
    carbo_matrix rows = device_pool();
    change(rows);
    expect_failure(carbo_selector_set_pool(selector, &rows, nullptr), status, {part});
  }

  DeviceArray<double> pool_memory;
};

}  // namespace c_scene
