#include <carbo/memory_plan.hpp>

#include <gtest/gtest.h>

#include <carbo/error.hpp>

namespace carbo {
namespace {

MemoryRequest request(std::uint64_t candidates, std::size_t budget) {
  MemoryRequest sizes;
  sizes.candidates = candidates;
  sizes.parameters = sizes.columns = 6;
  sizes.observations = 200;
  sizes.fantasies = 10;
  sizes.threads = 2;
  sizes.budget = budget;
  return sizes;
}

constexpr std::size_t gibibyte = std::size_t{1} << 30;

TEST(MemoryPlan, KeepsAllCandidatesWhereTheyFit) {
  const MemoryPlan plan = plan_memory(request(1000000, gibibyte));
  EXPECT_FALSE(plan.streamed);
  EXPECT_EQ(plan.tile, 1000000u);
  EXPECT_EQ(plan.sample, 1000000u);
  EXPECT_NE(plan.describe().find("kept with their posterior"), std::string::npos);
}

TEST(MemoryPlan, StreamsWhatDoesNotFit) {
  const MemoryPlan plan = plan_memory(request(100000000, gibibyte));
  EXPECT_TRUE(plan.streamed);
  EXPECT_EQ(plan.tile, 262144u);
  EXPECT_LT(plan.sample, 100000000u);
  EXPECT_NE(plan.describe().find("100000000 candidates, streamed in tiles of 262144"), std::string::npos);
}

/// More than 64 bits hold, before it is bounded.
TEST(MemoryPlan, ABatchOfBillionsIsRefusedAndNotTakenForASmallOne) {
  for (const bool on_device : {false, true}) {
    MemoryRequest sizes = request(1000, gibibyte);
    sizes.on_device = on_device;
    sizes.batch = std::size_t{1} << 32;
    sizes.fantasies = sizes.factors = 65536;
    EXPECT_GT(least_memory(sizes), std::size_t{1} << 59);
    EXPECT_THROW(plan_memory(sizes), InvalidOptions);
  }
}

/// Checks the plan of every budget from 1 MiB to 1 TiB; counts those made and those refused.
void check_budgets(MemoryRequest sizes, int& made, int& refused) {
  for (sizes.budget = std::size_t{1} << 20; sizes.budget < (std::size_t{1} << 40); sizes.budget *= 3) {
    MemoryPlan plan;
    try {
      plan = plan_memory(sizes);
    } catch (const InvalidOptions&) {
      ++refused;
      continue;
    }
    ++made;
    EXPECT_LE(plan.total_bytes(), sizes.budget);
    EXPECT_GE(plan.tile, std::min<std::uint64_t>(sizes.candidates, 4096));
    EXPECT_LE(plan.tile, sizes.candidates);
    EXPECT_EQ(plan.streamed, plan.tile < sizes.candidates);
    EXPECT_EQ(plan_memory(sizes).describe(), plan.describe());
  }
}

TEST(MemoryPlan, IsAPureFunctionThatNeverPassesTheBudget) {
  for (const bool on_device : {false, true}) {
    int made = 0, refused = 0;
    for (const std::uint64_t candidates : {1ull, 4095ull, 4096ull, 4097ull, 1000000ull, 4294967296ull}) {
      for (const std::size_t observations : {0u, 1u, 64u, 1000u, 3000u}) {
        for (const std::size_t factors : {1u, 10u}) {
          MemoryRequest sizes = request(candidates, 0);
          sizes.observations = observations;
          sizes.factors = factors;
          sizes.on_device = on_device;
          check_budgets(sizes, made, refused);
        }
      }
    }
    EXPECT_GT(made, 300);
    EXPECT_GT(refused, 30);
  }
}

TEST(MemoryPlan, TheErrorNamesABudgetThatIsJustEnough) {
  MemoryRequest sizes = request(1000000, 1000);
  std::string message;
  try {
    plan_memory(sizes);
  } catch (const InvalidOptions& error) {
    message = error.what();
  }
  ASSERT_NE(message.find("backend.memory_bytes is 1000"), std::string::npos) << message;
  const std::size_t at = message.find(" candidates take ");
  ASSERT_NE(at, std::string::npos) << message;
  sizes.budget = std::stoull(message.substr(at + 17));
  EXPECT_EQ(sizes.budget, least_memory(sizes));
  EXPECT_EQ(plan_memory(sizes).tile, 4096u);
  --sizes.budget;
  EXPECT_THROW(plan_memory(sizes), InvalidOptions);
}

TEST(MemoryPlan, OnADeviceItCountsDeviceMemory) {
  MemoryRequest sizes = request(1000000, gibibyte);
  const std::size_t host = plan_memory(sizes).total_bytes();
  sizes.on_device = true;
  const MemoryPlan plan = plan_memory(sizes);
  EXPECT_FALSE(plan.streamed);
  EXPECT_NE(plan.describe().find("of device memory"), std::string::npos);
  // 6 coordinates, distance and mask; 10 means, variance in two parts and 8 bytes beside it, log cost, what is added
  // to it and variance with 4 bytes, ceiling, 9 bytes of lists: each part with an eighth more for the rounding of
  // blocks.
  EXPECT_EQ(plan.candidate_bytes, 1000000u * ((6 * 8 + 8 + 1) * 9 / 8 + 1));
  EXPECT_EQ(plan.posterior_bytes, 1000000u * ((10 * 8 + 16 + 8 + 24 + 4 + 8 + 9) * 9 / 8 + 1));
  EXPECT_NE(plan.total_bytes(), host);
  sizes.threads = 64;
  EXPECT_EQ(plan_memory(sizes).total_bytes(), plan.total_bytes()) << "the host's threads take no device memory";
  sizes.budget = 1000;
  std::string message;
  try {
    plan_memory(sizes);
  } catch (const InvalidOptions& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("of device memory"), std::string::npos) << message;
}

}  // namespace
}  // namespace carbo
