// Ends the program before its first test where no card can be used, in the backend's own words.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "support/environment.hpp"

namespace carbo {
namespace {

constexpr int skipped = 77;  // SKIP_RETURN_CODE of its tests

class CardGuard : public testing::Environment {
 public:
  void SetUp() override {
    const EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE);
    BackendOptions options;
    options.kind = BackendKind::cuda;
    try {
      internal::make_backend(options);
    } catch (const BackendUnavailable& error) {
      std::printf("skipped: %s\n", error.what());
      std::fflush(stdout);
      std::_Exit(skipped);
    }
  }
};

[[maybe_unused]] testing::Environment* const guard = testing::AddGlobalTestEnvironment(new CardGuard);

}  // namespace
}  // namespace carbo
