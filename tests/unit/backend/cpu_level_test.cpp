#include "backend/cpu_level.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/cpu_features.hpp"
#include "support/environment.hpp"
#include "support/expect_error.hpp"
#include "support/sanitized.hpp"
#include "support/search_paths.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace carbo::test;
using internal::chosen_cpu_level;
using internal::cpu_levels;
using internal::CpuLevel;
using internal::missing_features;
using search_cases::Game;

EnvironmentVariable level_variable(const std::optional<std::string>& name) { return {"CARBO_CPU_LEVEL", name}; }

std::vector<CpuLevel> levels_that_run() {
  std::vector<CpuLevel> levels;
  for (const CpuLevel& level : cpu_levels())
    if (missing_features(level.name).empty()) levels.push_back(level);
  return levels;
}

TEST(CpuLevel, TheBestThatRunsIsTaken) {
  for (const auto& unset : {std::optional<std::string>(), std::optional<std::string>("")}) {
    const auto variable = level_variable(unset);
    EXPECT_STREQ(chosen_cpu_level().name, levels_that_run().back().name);
  }
}

TEST(CpuLevel, OneThatIsNamedIsTakenAndTheReceiptSaysSo) {
  for (const CpuLevel& level : levels_that_run()) {
    const auto variable = level_variable(level.name);
    Options options = small_options(10);
    options.backend.kind = BackendKind::cpu;
    Optimizer optimizer(valley_space(), options);
    EXPECT_EQ(optimizer.ask(1).at(0).receipt.backend_reason, "cpu " + std::string(level.name) + ": asked for");
  }
}

TEST(CpuLevel, OneThatDoesNotExistIsRefused) {
  for (const char* const name : {"v1", "v5", "V3", "native", "v3 ", "x86-64-v3"}) {
    const auto variable = level_variable(name);
    for (const BackendKind kind : {BackendKind::cpu, BackendKind::automatic}) {
      Options options = small_options(10);
      options.backend.kind = kind;
      expect_error<BackendUnavailable>([&] { Optimizer(valley_space(), options); },
                                       {"CARBO_CPU_LEVEL", "'" + std::string(name) + "'", cpu_levels().front().name,
                                        cpu_levels().back().name, "leave it unset"});
    }
  }
}

TEST(CpuLevel, OneThatThisProcessorLacksIsRefused) {
  bool refused = false;
  for (const CpuLevel& level : cpu_levels()) {
    const std::string missing = missing_features(level.name);
    if (missing.empty()) continue;
    const auto variable = level_variable(level.name);
    expect_error<BackendUnavailable>([] { chosen_cpu_level(); },
                                     {"CARBO_CPU_LEVEL", level.name, "this processor lacks", missing});
    refused = true;
  }
  if (!refused) GTEST_SKIP() << "this processor runs all levels; the test package.processors has one that does not";
}

#if defined(__x86_64__)
/// The compiler's own look at the processor.
TEST(CpuLevel, WhatIsMissingIsWhatTheCompilerSays) {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512dq");
  EXPECT_EQ(missing_features("v2").empty(), v2) << missing_features("v2");
  EXPECT_EQ(missing_features("v3").empty(), v3) << missing_features("v3");
  EXPECT_EQ(missing_features("v4").empty(), v4) << missing_features("v4");
}
#endif

/// Plays one batch at all levels along the picks of the first, and counts those that can be told apart there.
std::size_t compare_picks(const search_cases::Case& c, const std::vector<CpuLevel>& levels) {
  SCOPED_TRACE(testing::Message() << c);
  constexpr double telling_gap = 1e-6;  // nats between the pick and the runner-up
  std::vector<std::unique_ptr<Game>> games;
  for (const CpuLevel& level : levels) {
    const auto make = [&level](std::size_t threads, std::size_t tile) {
      return std::unique_ptr<internal::Backend>(
          level.make({.kind = BackendKind::cpu, .threads = threads, .tile = tile}));
    };
    games.push_back(std::make_unique<Game>(c, 0, make));
  }
  std::size_t told_apart = 0;
  for (std::size_t pick = 0; pick < c.shape.batch; ++pick) {
    const internal::BestTwo reference = games.front()->dense.best(games.front()->asked());
    if (reference[0].index == internal::Scored::none) break;
    const bool clear = reference[0].score - reference[1].score > telling_gap;
    told_apart += clear ? 1 : 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto top = games[i]->bounded.top(games[i]->asked(), 1, games[i]->announced());
      EXPECT_EQ(top.size(), 1u);
      if (clear && !top.empty()) {
        EXPECT_EQ(top[0].index, reference[0].index) << levels[i].name << ", pick " << pick;
      }
    }
    if (pick + 1 < c.shape.batch)
      for (const auto& game : games) game->take(reference[0].index);
  }
  return told_apart;
}

TEST(CpuLevel, PicksThatCanBeToldApartAreTheSameAtEveryLevel) {
  const std::vector<CpuLevel> levels = levels_that_run();
  if (levels.size() < 2) GTEST_SKIP() << "one level runs here";
  std::size_t told_apart = 0;
  for (std::uint64_t seed = 0; seed < cases(32); ++seed) {
    const std::size_t n = 20 + 37 * (seed % 8);
    told_apart += compare_picks(search_cases::late_case({n, 1200, 8}, seed), levels);
  }
  EXPECT_GE(told_apart, cases(200));
}

TEST(CpuLevel, WholeStudiesFinishAtEveryLevel) {
  for (const CpuLevel& level : levels_that_run()) {
    const auto variable = level_variable(level.name);
    for (std::uint64_t seed = 1; seed <= cases(3); ++seed) {
      Options options = small_options(100, seed);
      options.backend.kind = BackendKind::cpu;
      options.batch_size = 3;
      const Result result = minimize(valley_space(), options, valley);
      EXPECT_TRUE(result.error.empty()) << level.name << ": " << result.error;
      EXPECT_GE(result.spent, 100.0) << level.name;
      ASSERT_TRUE(result.best) << level.name;
      // The floor lies at −0.02; uniform draws of the same cost end about 0.03 above it.
      EXPECT_LT(result.best->objective, 0.02) << level.name << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace carbo
