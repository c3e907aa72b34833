#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include <carbo/cuda.hpp>

#include "emulator_control.hpp"
#include "support/selector_scene.hpp"
#include "support/text.hpp"

// Every call to the runtime, cuBLAS and cuSOLVER that a selector makes fails in turn: a typed error, nothing changed,
// and the same rows when asked again.
namespace {

using namespace carbo::test;
using carbo::internal::text;

struct Outcome {
  bool reached = false;  ///< there was such a call
  bool thrown = false;
  bool unusable = false;  ///< an error that the device does not survive
};

template <class Call>
Outcome with_fault(std::size_t k, const Call& call) {
  const emulator::Fault fault(text("*:", k));
  Outcome outcome;
  try {
    call();
  } catch (const carbo::Error& error) {
    outcome.thrown = true;
    outcome.unusable = std::string(error.what()).find("the device cannot be used again") != std::string::npos;
  }
  outcome.reached = fault.reached();
  return outcome;
}

void expect_unchanged(const carbo::Selector& selector, std::size_t k) {
  EXPECT_EQ(selector.available(), 80u) << k;
  EXPECT_EQ(selector.running(), 0u) << k;
  EXPECT_EQ(selector.observations(), 9u) << k;
}

/// `pick` gives rows; each of its calls fails in turn, and without a fault it gives the same rows again.
template <class PickRows>
void sweep(const PickRows& pick) {
  const SelectorScene scene(80, 9);
  const auto ready = [&] { return scene.ready(SelectorScene::options(carbo::BackendKind::cuda)); };
  carbo::Selector selector = ready();
  const auto pick_and_withdraw = [&] {
    const std::vector<std::int64_t> rows = pick(selector);
    selector.withdraw(carbo::host_indices(rows.data(), rows.size()));
    return rows;
  };
  const std::vector<std::int64_t> expected = pick_and_withdraw();
  std::size_t faults = 0;
  for (std::size_t k = 1;; ++k) {
    std::vector<std::int64_t> rows;
    const Outcome outcome = with_fault(k, [&] { rows = pick(selector); });
    if (!outcome.thrown) {
      EXPECT_EQ(rows, expected) << k;
      selector.withdraw(carbo::host_indices(rows.data(), rows.size()));
    }
    if (outcome.unusable) {
      EXPECT_THROW(pick(selector), carbo::DeviceError);
      EXPECT_EQ(selector.observations(), 9u);
      selector = ready();
    }
    expect_unchanged(selector, k);
    ASSERT_EQ(pick_and_withdraw(), expected) << k;
    if (!outcome.reached) break;
    faults += outcome.thrown;
  }
  EXPECT_GT(faults, 20u);
}

TEST(CudaSelectorFaults, ASuggestionThatFailsChangesNothing) {
  sweep([](carbo::Selector& selector) { return suggest(selector, {.count = 2, .alpha = 0.5}).rows; });
}

TEST(CudaSelectorFaults, ADesignThatFailsChangesNothing) {
  sweep([](carbo::Selector& selector) { return design(selector, {.count = 2}); });
}

TEST(CudaSelectorFaults, APoolThatCannotBeTakenUpLeavesTheLastOne) {
  const SelectorScene scene(80, 9), other(70, 9, 2);
  const auto ready = [&] { return scene.ready(SelectorScene::options(carbo::BackendKind::cuda)); };
  carbo::Selector selector = ready();
  const std::vector<std::int64_t> expected = suggest(selector, {.count = 2}).rows;
  selector.withdraw(carbo::host_indices(expected.data(), expected.size()));
  for (std::size_t k = 1;; ++k) {
    const Outcome outcome = with_fault(k, [&] { selector.set_pool({other.rows()}); });
    if (outcome.unusable) selector = ready();
    if (outcome.thrown) {
      expect_unchanged(selector, k);
    } else {
      EXPECT_EQ(selector.pool_size(), 70u);
      selector.set_pool({scene.rows()});
    }
    if (!outcome.reached) break;
  }
  EXPECT_EQ(suggest(selector, {.count = 2}).rows, expected);
}

TEST(CudaSelectorFaults, ObservationsThatCannotBeReadAreNotTaken) {
  const SelectorScene scene(80, 9);
  carbo::Selector selector = scene.ready(SelectorScene::options(carbo::BackendKind::cuda));
  double* objectives = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&objectives), 3 * sizeof(double)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(objectives, scene.objectives.data(), 3 * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
  carbo::Observations given = scene.observations(0, 3);
  given.objectives = carbo::cuda::device_values(objectives, 3);
  std::size_t appended = 0;
  for (std::size_t k = 1;; ++k) {
    const Outcome outcome = with_fault(k, [&] { selector.append(given); });
    appended += outcome.thrown ? 0 : 3;
    EXPECT_EQ(selector.observations(), 9u + appended) << k;
    if (outcome.unusable) {
      selector = scene.ready(SelectorScene::options(carbo::BackendKind::cuda));
      appended = 0;
    }
    if (!outcome.reached) break;
  }
  EXPECT_EQ(cudaFree(objectives), cudaSuccess);
}

}  // namespace
