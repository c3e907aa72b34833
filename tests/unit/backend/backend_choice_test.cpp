#include <gtest/gtest.h>

#include <optional>
#include <string>

#include <carbo/carbo.hpp>

#include "backend/backend.hpp"
#include "backend/cpu_level.hpp"
#include "support/environment.hpp"
#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace carbo::test;
using internal::BackendChoice;
using internal::make_backend;

/// How every reason begins where the CPU runs.
const std::string on_cpu = std::string("cpu ") + internal::chosen_cpu_level().name + ": ";

EnvironmentVariable library(const std::optional<std::string>& path) { return {"CARBO_CUDA_LIBRARY", path}; }

BackendOptions wanted(BackendKind kind, int device = 0) {
  BackendOptions options;
  options.kind = kind;
  options.device = device;
  options.threads = 1;
  return options;
}

TEST(BackendChoice, TheCpuIsNeverLookedFor) {
  const auto pretended = library(CARBO_PRETENDED_CUDA);
  BackendChoice choice;
  EXPECT_EQ(make_backend(wanted(BackendKind::cpu), &choice)->name(), "cpu");
  EXPECT_EQ(choice.reason, on_cpu + "asked for");
  EXPECT_FALSE(choice.on_device);
  EXPECT_GT(choice.memory_bytes, std::size_t{1} << 20) << "half of the free memory";
}

TEST(BackendChoice, AGivenBudgetIsKept) {
  BackendOptions options = wanted(BackendKind::cpu);
  options.memory_bytes = 12345;
  BackendChoice choice;
  make_backend(options, &choice);
  EXPECT_EQ(choice.memory_bytes, 12345u);
}

TEST(BackendChoice, ADeviceIsTakenWhereThereIsOne) {
  const auto pretended = library(CARBO_PRETENDED_CUDA);
  BackendChoice choice;
  make_backend(wanted(BackendKind::automatic), &choice);
  EXPECT_EQ(choice.reason, "cuda: a pretended device, the device that was found");
  EXPECT_TRUE(choice.on_device);
  EXPECT_EQ(choice.memory_bytes, 123456789u);
  make_backend(wanted(BackendKind::cuda), &choice);
  EXPECT_EQ(choice.reason, "cuda: a pretended device, asked for");
}

TEST(BackendChoice, WithoutADeviceTheReasonIsNamed) {
  const auto pretended = library(CARBO_PRETENDED_CUDA);
  BackendChoice choice;
  EXPECT_EQ(make_backend(wanted(BackendKind::automatic, 1), &choice)->name(), "cpu");
  EXPECT_EQ(choice.reason, on_cpu + "the pretended device is switched off");
  EXPECT_FALSE(choice.on_device);
  expect_error<BackendUnavailable>([] { make_backend(wanted(BackendKind::cuda, 1)); },
                                   {"cuda was asked for", "switched off", "BackendKind::cpu"});
}

TEST(BackendChoice, ErrorsOfTheLibraryKeepTheirTypes) {
  const auto pretended = library(CARBO_PRETENDED_CUDA);
  for (const BackendKind kind : {BackendKind::automatic, BackendKind::cuda}) {
    expect_error<OutOfMemory>([&] { make_backend(wanted(kind, 2)); }, {"full"});
    expect_error<DeviceError>([&] { make_backend(wanted(kind, 3)); }, {"fails"});
    expect_error<Error>([&] { make_backend(wanted(kind, 3)); }, {"fails"});
  }
}

struct Unusable {
  std::string path;
  std::string reason;
};

TEST(BackendChoice, ALibraryThatIsMissingStaleOrForeignIsNotUsed) {
  for (const Unusable& unusable : {Unusable{"/nowhere/libcarbo_cuda.so", "/nowhere/libcarbo_cuda.so: cannot open"},
                                   Unusable{CARBO_STALE_CUDA, "carbo 0.0.1, interface of long ago"},
                                   Unusable{"libm.so.6", "libm.so.6 is not Carbo's CUDA library"},
                                   Unusable{"", "CARBO_CUDA_LIBRARY is empty"}}) {
    const auto variable = library(unusable.path);
    BackendChoice choice;
    EXPECT_EQ(make_backend(wanted(BackendKind::automatic), &choice)->name(), "cpu");
    EXPECT_EQ(choice.reason.substr(0, on_cpu.size()), on_cpu);
    EXPECT_NE(choice.reason.find(unusable.reason), std::string::npos) << choice.reason;
    expect_error<BackendUnavailable>([] { make_backend(wanted(BackendKind::cuda)); }, {unusable.reason});
  }
}

TEST(BackendChoice, AnOptimizerSaysWhichBackendRunsAndWhy) {
  const auto pretended = library(CARBO_PRETENDED_CUDA);
  Options options = small_options(100);
  options.backend.device = 1;
  EXPECT_EQ(Optimizer(valley_space(), options).ask(1).at(0).receipt.backend_reason,
            on_cpu + "the pretended device is switched off");
  options.backend.device = 0;
  Optimizer optimizer(valley_space(), options);
  EXPECT_EQ(optimizer.ask(1).at(0).receipt.backend_reason, "cuda: a pretended device, the device that was found");
  EXPECT_EQ(optimizer.options().backend.memory_bytes, 123456789u);
  EXPECT_TRUE(optimizer.memory_plan().on_device);
  options.backend.kind = BackendKind::cuda;
  options.backend.device = 1;
  expect_error<BackendUnavailable>([&] { Optimizer(valley_space(), options); }, {"switched off"});
  options.backend.device = -2;
  expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {"backend.device is -2", "-1"});
}

}  // namespace
}  // namespace carbo
