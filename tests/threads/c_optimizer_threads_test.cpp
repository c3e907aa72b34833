#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include <carbo/carbo.h>

// The optimizer of the C face in several threads, with a constraint that any of them may call: for the thread
// sanitizer.
namespace {

using Numbers = std::array<double, 2>;

struct Constrained {
  std::atomic<int> calls = 0;
  carbo_optimizer* optimizer = nullptr;

  Constrained() {
    const std::array<carbo_parameter, 2> parameters{carbo_real("x", 0, 1), carbo_integer("k", 1, 40)};
    const carbo_constraint constraint{sizeof constraint,
                                      [](void* state, const double* x) {
                                        ++static_cast<Constrained*>(state)->calls;
                                        return x[0] * x[1] < 30 ? 1 : 0;
                                      },
                                      this, "not too much"};
    carbo_optimizer_options options;
    EXPECT_EQ(carbo_optimizer_options_init(&options, sizeof options), CARBO_OK);
    options.parameters = parameters.data();
    options.parameter_count = 2;
    options.constraints = &constraint;
    options.constraint_count = 1;
    options.budget = 1000;
    options.cost.unit = "credits";
    options.candidates.count = 256;
    options.surrogate.restarts = options.cost.surrogate.restarts = 1;
    options.backend.kind = CARBO_BACKEND_CPU;
    options.backend.threads = 2;
    EXPECT_EQ(carbo_optimizer_create(&options, &optimizer), CARBO_OK);
  }
  ~Constrained() { EXPECT_EQ(carbo_optimizer_destroy(optimizer), CARBO_OK); }
  Constrained(const Constrained&) = delete;
  Constrained& operator=(const Constrained&) = delete;

  carbo_status ask(carbo_suggestion& suggestion, Numbers& numbers) const {
    suggestion.struct_size = sizeof suggestion;
    std::int64_t written = 0;
    return carbo_optimizer_ask(optimizer, 1, &suggestion, numbers.data(), &written);
  }
};

TEST(COptimizerThreads, HandlesOfTheirOwn) {
  std::vector<std::vector<Numbers>> found(3);
  std::vector<std::thread> threads;
  for (auto& own : found)
    threads.emplace_back([&own] {
      const Constrained study;
      for (int i = 0; i < 9; ++i) {
        carbo_suggestion next{};
        EXPECT_EQ(study.ask(next, own.emplace_back()), CARBO_OK);
        const auto [x, k] = own.back();
        EXPECT_EQ(carbo_optimizer_tell(study.optimizer, next.id, std::sin(5 * x) + 0.1 * k, 1 + x), CARBO_OK);
      }
      EXPECT_GT(study.calls, 0);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : found) EXPECT_EQ(own, found.front());
}

TEST(COptimizerThreads, OneHandleThatAllWant) {
  const Constrained study;
  std::atomic<int> through = 0, others = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 6; ++k) {
        carbo_suggestion next{};
        Numbers numbers{};
        const carbo_status status = study.ask(next, numbers);
        through += status == CARBO_OK ? 1 : 0;
        others += status != CARBO_OK && status != CARBO_CONCURRENT_CALL ? 1 : 0;
        std::array<char, 100> words{};
        EXPECT_EQ(carbo_optimizer_message(study.optimizer, words.data(), 100, nullptr), CARBO_OK);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(through, 0);
  EXPECT_EQ(others, 0);
  carbo_optimizer_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(carbo_optimizer_get_info(study.optimizer, &info), CARBO_OK);
  EXPECT_EQ(info.pending, through);
}

}  // namespace
