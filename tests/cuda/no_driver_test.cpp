// The CUDA backend as it was built, with NVIDIA's own runtime, on a machine without a driver: it must say so,
// quickly.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <carbo/carbo.hpp>

#include "backend/backend.hpp"
#include "backend/cpu_level.hpp"
#include "support/environment.hpp"
#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace carbo::test;

const std::string no_driver = std::string("cpu ") + internal::chosen_cpu_level().name + ": no CUDA driver was found";

class NoDriver : public testing::Test {
 protected:
  void SetUp() override {
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver == nullptr) return;
    dlclose(driver);
    GTEST_SKIP() << "this machine has a CUDA driver";
  }

  EnvironmentVariable library_{"CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE};
};

TEST_F(NoDriver, AskingForCudaNamesTheReason) {
  for (int i = 0; i < 3; ++i) {
    for (const int device : {-1, 0, 7}) {
      BackendOptions options;
      options.kind = BackendKind::cuda;
      options.device = device;
      expect_error<BackendUnavailable>([&] { internal::make_backend(options); }, {"no CUDA driver was found"});
    }
  }
}

TEST_F(NoDriver, AutomaticRunsOnTheCpu) {
  internal::BackendChoice choice;
  EXPECT_EQ(internal::make_backend({}, &choice)->name(), "cpu");
  EXPECT_EQ(choice.reason, no_driver);
  EXPECT_FALSE(choice.on_device);
}

TEST_F(NoDriver, ThreadsMayAskAtTheSameTime) {
  std::vector<std::string> reasons(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& reason : reasons) {
      threads.emplace_back([&reason] {
        internal::BackendChoice choice;
        internal::make_backend({.threads = 1}, &choice);
        reason = choice.reason;
      });
    }
  }
  EXPECT_EQ(reasons, std::vector<std::string>(4, no_driver));
}

TEST_F(NoDriver, AStudyRunsToItsEnd) {
  Options options = small_options(60);
  options.backend.kind = BackendKind::automatic;
  Optimizer optimizer(valley_space(), options);
  while (!optimizer.done()) {
    const Suggestion suggestion = optimizer.ask(1).at(0);
    EXPECT_EQ(suggestion.receipt.backend_reason, no_driver);
    optimizer.tell(suggestion.id, valley(suggestion.configuration));
  }
  EXPECT_EQ(optimizer.stop_reason(), StopReason::budget);
}

}  // namespace
}  // namespace carbo
