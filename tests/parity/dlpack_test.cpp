#include <gtest/gtest.h>

#include <carbo/cuda.hpp>
#include <carbo/dlpack.hpp>

#include "support/device_array.hpp"
#include "support/dlpack_tensor.hpp"
#include "support/selector_scene.hpp"

// DLPack tensors in device memory.
namespace carbo {
namespace {

using namespace test;
using internal::dlpack::DeviceKind;

const SelectorScene& shared_scene() {
  static const SelectorScene the_scene(60, 10);
  return the_scene;
}

TEST(CudaDlpack, APoolIsReadAndPicksAreWrittenWhereTheyLie) {
  const std::int64_t m = 60;
  const DeviceArray<float> pool(spread<float>(shared_scene().pool, Order::column_major, 64));
  const DeviceArray<std::int64_t> rows(4);
  const DeviceArray<double> scores(60);
  DlpackTensor pool_tensor(pool.data(), {m, 3}, std::vector<std::int64_t>{1, 64});
  DlpackTensor rows_tensor(rows.data(), {4}), scores_tensor(scores.data(), {m});
  for (DlpackTensor* const one : {&pool_tensor, &rows_tensor, &scores_tensor})
    one->tensor.device = {DeviceKind::cuda, 0};

  Selector selector = cuda::make_selector(SelectorScene::options());
  selector.set_pool({matrix_from_dlpack(pool_tensor.unversioned())});
  selector.append(shared_scene().observations());
  selector.scores({}, room_from_dlpack(scores_tensor.versioned()));
  ASSERT_EQ(selector.suggest({.count = 4}, {index_room_from_dlpack(rows_tensor.versioned())}), 4u);

  SelectorScene rounded = shared_scene();
  for (double& value : rounded.flat_pool) value = static_cast<float>(value);
  Selector cpu = rounded.ready();
  expect_same_scores(scores.read(), dense_scores(cpu));
  EXPECT_EQ(rows.read(), suggest(cpu, {.count = 4}).rows);
  EXPECT_EQ(pool_tensor.given_back + rows_tensor.given_back + scores_tensor.given_back, 0);
}

}  // namespace
}  // namespace carbo
