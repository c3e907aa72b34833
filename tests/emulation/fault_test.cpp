#include <cmath>
#include <optional>
#include <string>

#include "emulator_control.h"
#include "support/cuda_workload.hpp"

// Every call to the runtime, cuBLAS and cuSOLVER fails in turn: a typed error each time, nothing left behind, and
// work goes on.
namespace cuda_pair {
namespace {

using cuda_workload::Named;
using cuda_workload::run;

/// What is alive on the device and in the libraries.
struct Alive {
  unsigned long long bytes = emulator_device_bytes();
  std::vector<long long> objects = count();

  static std::vector<long long> count() {
    std::vector<long long> counts;
    for (const char* kind : {"streams", "events", "pools", "pinned allocations", "cuBLAS handles", "cuSOLVER handles",
                             "cuSOLVER params"})
      counts.push_back(emulator_live(kind));
    return counts;
  }
};

void expect_as_before(const Alive& before, const std::string& when) {
  EXPECT_EQ(emulator_device_bytes(), before.bytes) << when;
  EXPECT_EQ(Alive::count(), before.objects) << when;
}

/// A fault plan that ends with this.
class Fault {
 public:
  explicit Fault(const std::string& plan) { emulator_set_fault(plan.c_str()); }
  ~Fault() { emulator_set_fault(nullptr); }
  static bool reached() { return emulator_fault_reached() != 0; }
};

/// What came of work whose k-th call failed.
struct Outcome {
  bool reached = false;              ///< there was a k-th call
  std::optional<std::string> error;  ///< its message, where one was thrown
  std::vector<double> values;        ///< where none was
};

/// Anything thrown but a carbo::Error ends the test.
template <class Body>
Outcome with_fault(const std::string& plan, const Body& body) {
  const Fault fault(plan);
  Outcome outcome;
  try {
    outcome.values = body();
  } catch (const carbo::Error& error) {
    outcome.error = error.what();
    EXPECT_FALSE(outcome.error->empty());
  }
  outcome.reached = Fault::reached();
  return outcome;
}

bool says_unusable(const std::string& message) {
  return message.find("the device cannot be used again") != std::string::npos;
}

/// Fails every call of one workload in turn on a backend that lives on; returns how many there were.
std::size_t sweep(const Named& workload, const Scene& scene) {
  SCOPED_TRACE(workload.name);
  const Alive before;
  auto backend = cuda();
  const std::vector<double> expected = run(workload.work, *backend, scene);
  std::size_t used = backend->context().memory()->used();
  for (std::size_t k = 1;; ++k) {
    const std::string plan = "*:" + std::to_string(k);
    const Outcome outcome = with_fault(plan, [&] { return run(workload.work, *backend, scene); });
    if (!outcome.error) {
      EXPECT_EQ(outcome.values, expected) << plan;  // no fault at all, or one that was made good
    }
    if (!outcome.reached) return k - 1;
    EXPECT_EQ(backend->context().memory()->used(), used) << plan << ": " << outcome.error.value_or("");
    if (outcome.error && says_unusable(*outcome.error)) {
      EXPECT_THROW(run(workload.work, *backend, scene), carbo::DeviceError) << plan;
      backend.reset();
      expect_as_before(before, plan);
      backend = cuda();
      used = backend->context().memory()->used();
    }
    EXPECT_EQ(run(workload.work, *backend, scene), expected) << "the call after " << plan;
    if (testing::Test::HasFailure()) return k;
  }
}

class CudaFault : public testing::TestWithParam<Named> {};

TEST_P(CudaFault, EveryCallFailsInTurn) {
  const Alive before;
  const std::size_t calls = sweep(GetParam(), Scene(5, 9, 2));
  EXPECT_GT(calls, 20u);
  RecordProperty("calls", static_cast<int>(calls));
  expect_as_before(before, "at the end");
}

INSTANTIATE_TEST_SUITE_P(Workloads, CudaFault, testing::ValuesIn(cuda_workload::all), [](const auto& info) {
  std::string name = info.param.name;
  std::erase(name, ' ');
  return name;
});

TEST(CudaFault, EveryCallOfMakingABackendFailsInTurn) {
  const Alive before;
  std::size_t k = 1;
  for (;; ++k) {
    const std::string plan = "*:" + std::to_string(k);
    std::unique_ptr<CudaBackendFace> backend;
    const Outcome outcome = with_fault(plan, [&] {
      backend = cuda();
      return std::vector<double>();
    });
    EXPECT_EQ(outcome.reached, outcome.error.has_value()) << plan;
    backend.reset();
    expect_as_before(before, plan);
    if (!outcome.reached || testing::Test::HasFailure()) break;
  }
  EXPECT_GT(k, 15u);
  const Scene scene(5, 9, 2);
  EXPECT_FALSE(run(cuda_workload::fit, *cuda(), scene).empty());
}

/// An error after which the device is lost: every object says so from then on, and they can still be destroyed.
TEST(CudaFault, AfterAStickyErrorObjectsSayThatTheyAreUnusable) {
  const Alive before;
  const Scene scene(5, 9, 2);
  for (const std::size_t k : {1, 2, 3, 5, 8, 13, 21}) {
    const std::string plan = "sticky:cudaLaunchKernel:" + std::to_string(k);
    auto backend = cuda();
    auto set = backend->make_candidates(Rows(scene.candidates).view());
    auto factor = fixture::factor(*backend, scene.gp, scene.x, scene.y);
    const std::string message = with_fault(plan, [&] {
                                  run(cuda_workload::shared_batch, *backend, scene);
                                  run(cuda_workload::fit, *backend, scene);
                                  return std::vector<double>();
                                }).error.value_or("");
    EXPECT_TRUE(says_unusable(message)) << plan << ": " << message;
    const auto unusable = [&](const auto& action) {
      try {
        action();
        ADD_FAILURE() << "nothing was thrown after " << plan;
      } catch (const carbo::DeviceError& error) {
        EXPECT_NE(std::string(error.what()).find("cannot be used any more"), std::string::npos) << error.what();
      }
    };
    std::vector<double> mean(scene.candidates.size());
    unusable([&] { backend->make_candidates(Rows(scene.candidates).view()); });
    unusable([&] { backend->sweep(*factor, *set, true); });
    unusable([&] { backend->make_field(scene.y, {}); });
    unusable([&] { factor->predict(Rows(scene.candidates).view(), mean, {}); });
    unusable([&] { factor->append(scene.x[0]); });
    unusable([&] { set->exclude(0); });
    unusable([&] { set->add_design_point(scene.x[0]); });
    factor.reset();
    set.reset();
    backend.reset();
    expect_as_before(before, plan);
  }
}

/// Broken at any call, whatever it is, and destroyed while still broken.
TEST(CudaFault, EverythingIsGivenBackAfterAStickyErrorAnywhere) {
  const Alive before;
  const Scene scene(5, 9, 2);
  // CUB asks for the device's attributes once in a process and keeps the answer, an error too.
  run(cuda_workload::shared_batch, *cuda(), scene);
  for (std::size_t k = 1;; k += 7) {
    const std::string plan = "sticky:" + std::to_string(k);
    bool unseen = false;
    const Outcome outcome = with_fault(plan, [&] {
      const auto backend = cuda();
      std::vector<double> values = run(cuda_workload::shared_batch, *backend, scene);
      unseen = Fault::reached();
      return values;
    });
    expect_as_before(before, plan);
    EXPECT_FALSE(unseen) << plan;
    if (!outcome.reached || testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace cuda_pair
