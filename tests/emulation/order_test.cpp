#include <cstring>
#include <string>
#include <utility>

#include "emulator_control.hpp"
#include "support/cuda_workload.hpp"

// Whatever the order of threads and blocks and the schedule of streams, results are the same bits.
namespace {

using cuda_pair::Scene;

/// An order that lasts while this lives.
class Schedule {
 public:
  Schedule(const char* order, const char* streams, const std::string& seed) {
    emulator_set("EMULATOR_ORDER", order);
    emulator_set("EMULATOR_STREAMS", streams);
    emulator_set("EMULATOR_SEED", seed.c_str());
  }
  ~Schedule() {
    for (const char* variable : {"EMULATOR_ORDER", "EMULATOR_STREAMS", "EMULATOR_SEED"})
      emulator_set(variable, nullptr);
  }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<double> everything(const Scene& scene) { return cuda_workload::run_all(*cuda_pair::cuda(), scene); }

TEST(CudaOrder, TwentySeedsGiveTheSameBits) {
  const Scene scene(33, 130, 3);
  const std::vector<double> expected = everything(scene);
  EXPECT_GT(expected.size(), 300u);
  for (int seed = 1; seed <= 20; ++seed) {
    const Schedule schedule("random", "lazy", std::to_string(seed));
    EXPECT_TRUE(same_bits(everything(scene), expected)) << "seed " << seed;
  }
}

/// So many candidates that the highest are settled before the others.
TEST(CudaOrder, ABatchOfManyCandidatesGivesTheSameBits) {
  const Scene scene(33, 700, 3);
  const auto batch = [&] { return cuda_workload::run(cuda_workload::picked_batch, *cuda_pair::cuda(), scene); };
  const std::vector<double> expected = batch();
  for (const char* seed : {"0", "1", "2"}) {
    const Schedule schedule("random", "lazy", seed);
    EXPECT_TRUE(same_bits(batch(), expected)) << "seed " << seed;
  }
}

/// Steps that wait for each other, of one unit or of many, in places that are used again: whoever takes them, and
/// however many blocks of threads there are at a time.
TEST(CudaOrder, VariancesAreTheSameBitsWhoeverTakesTheirSteps) {
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{300, 40}, {160, 1100}, {33, 2200}}) {
    const Scene scene(n, m, 2);
    const auto swept = [&] {
      const auto backend = cuda_pair::cuda();
      const cuda_pair::Staged staged(*backend, scene);
      return cuda_pair::contents(*staged.fields[0], 7);
    };
    const std::vector<double> expected = swept();
    for (const char* window : {"1", "3", "16"}) {
      const emulator::Setting resident("EMULATOR_WINDOW", window);
      for (const char* order : {"ascending", "descending", "random"}) {
        const Schedule schedule(order, "lazy", window);
        EXPECT_TRUE(same_bits(swept(), expected)) << n << " points, " << order << ", " << window << " blocks";
      }
    }
  }
}

/// With the seed 0, lazy streams run only what something waits for.
TEST(CudaOrder, DescendingThreadsAndTheLaziestStreamsGiveTheSameBits) {
  const Scene scene(65, 257, 6);
  const std::vector<double> expected = everything(scene);
  const Schedule schedule("descending", "lazy", "0");
  EXPECT_TRUE(same_bits(everything(scene), expected));
}

}  // namespace
