#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include <carbo/cuda.hpp>
#include <carbo/error.hpp>

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

/// Gives memory until it is told not to, and from then on none.
class EndingAllocator final : public carbo::cuda::Allocator {
 public:
  void* allocate(std::size_t bytes, cudaStream_t stream) override {
    if (left == 0) return nullptr;
    --left;
    void* memory = nullptr;
    EXPECT_EQ(cudaMallocAsync(&memory, bytes, stream), cudaSuccess);
    return memory;
  }
  void release(void* memory, std::size_t, cudaStream_t stream) noexcept override { cudaFreeAsync(memory, stream); }

  std::size_t left = 1000000;
};

/// More picks than what is set aside for one of them has room for.
TEST(CudaSelectorFaults, RowsComeBackWhereMemoryEndsInALargeBatch) {
  const SelectorScene scene(150, 9);
  const auto allocator = std::make_shared<EndingAllocator>();
  carbo::Selector selector =
      carbo::cuda::make_selector(SelectorScene::options(carbo::BackendKind::cuda), {.allocator = allocator});
  selector.set_pool({scene.rows()});
  selector.append(scene.observations());
  selector.fit();
  std::size_t failures = 0;
  for (std::size_t more = 0;; ++more) {
    allocator->left = more;
    std::size_t thrown = 0;
    try {
      suggest(selector, {.count = 70});
    } catch (const carbo::OutOfMemory&) {
      thrown = 1;
    }
    allocator->left = 1000000;
    if (thrown == 0) break;
    ++failures;
    ASSERT_EQ(selector.available(), 150u) << more;
    ASSERT_EQ(selector.running(), 0u) << more;
    try {
      allocator->left = more;
      design(selector, {.count = 70});
      break;
    } catch (const carbo::OutOfMemory&) {
      allocator->left = 1000000;
    }
    ASSERT_EQ(selector.available(), 150u) << more;
  }
  EXPECT_GT(failures, 3u);
}

/// What hyperparameters it is left with is not said, but that both models have all observations is.
TEST(CudaSelectorFaults, AFitThatFailsLeavesModelsThatCanBeAsked) {
  const SelectorScene scene(60, 9);
  carbo::SelectorOptions options = SelectorScene::options(carbo::BackendKind::cuda);
  options.surrogate.fixed.reset();
  options.cost.surrogate.fixed.reset();
  options.surrogate.restarts = options.cost.surrogate.restarts = 1;
  carbo::Selector selector = scene.ready(options);
  selector.fit();
  std::size_t faults = 0;
  for (std::size_t k = 2;; k += 13) {
    const Outcome outcome = with_fault(k, [&] { selector.fit(); });
    if (!outcome.reached) break;
    faults += outcome.thrown;
    if (outcome.unusable) selector = scene.ready(options);
    for (const double score : dense_scores(selector)) ASSERT_TRUE(std::isfinite(score)) << k;
    EXPECT_EQ(selector.observations(), 9u);
  }
  EXPECT_GT(faults, 5u);
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
