#include <gtest/gtest.h>

#include "support/emulated_processor.hpp"
#include "support/memory_shapes.hpp"
#include "support/sanitized.hpp"

namespace carbo {
namespace {

class MemoryPeak : public testing::TestWithParam<test::MemoryShape> {};

/// What the system gave to the process, not what was reckoned. bench_memory_peak does so for all shapes.
TEST_P(MemoryPeak, StaysWithinTheBytesGiven) {
  const test::MemoryShape& shape = GetParam();
  if (test::sanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  if (test::emulated_processor) GTEST_SKIP() << "an emulator takes memory of its own: 15 MB with eight threads";
  const auto use = test::measured(shape);
  ASSERT_TRUE(use) << shape.name;
  EXPECT_LE(use->peak, shape.memory_bytes) << shape.name << ", planned " << use->planned;
  EXPECT_LE(use->planned, shape.memory_bytes);
  EXPECT_GT(use->peak, shape.memory_bytes / 20) << "what was measured cannot be the study";
  EXPECT_GE(use->points, shape.points);
}

std::vector<test::MemoryShape> quick_shapes() {
  std::vector<test::MemoryShape> quick;
  for (const test::MemoryShape& shape : test::memory_shapes)
    if (shape.quick) quick.push_back(shape);
  return quick;
}

INSTANTIATE_TEST_SUITE_P(QuickShapes, MemoryPeak, testing::ValuesIn(quick_shapes()),
                         [](const auto& info) { return std::to_string(info.index); });

}  // namespace
}  // namespace carbo
