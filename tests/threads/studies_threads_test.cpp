#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include <carbo/carbo.hpp>

// Studies in several threads, and one that several threads want: for the thread sanitizer.
namespace carbo {
namespace {

Space mixed_square() { return Space{real("x", 0.0, 1.0), categorical("c", {"a", "b"})}; }

Options small_options() {
  Options options{.budget = 1000.0, .batch_size = 3, .seed = 8};
  options.candidates.count = 300;
  options.surrogate.restarts = 1;
  options.cost.surrogate.restarts = 1;
  options.fantasies.count = 2;
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = 2;
  return options;
}

/// The numbers of all that a short study suggests.
std::vector<double> study() {
  Optimizer optimizer(mixed_square(), small_options());
  std::vector<double> all;
  for (int round = 0; round < 5; ++round) {
    for (const Suggestion& suggestion : optimizer.ask()) {
      const auto numbers = suggestion.configuration.numbers();
      all.insert(all.end(), numbers.begin(), numbers.end());
      optimizer.tell(suggestion.id, {numbers[0] * numbers[0] + numbers[1], 1.0 + numbers[0]});
    }
    optimizer.rank(2);
  }
  return all;
}

TEST(StudiesThreads, EachInItsOwnThreadIsAsAlone) {
  const std::vector<double> alone = study();
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& own : found) threads.emplace_back([&own] { own = study(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& own : found) EXPECT_EQ(own, alone);
}

TEST(StudiesThreads, OneThatAllWantRefusesAllButOne) {
  Optimizer optimizer(mixed_square(), small_options());
  std::vector<std::size_t> told(4), refused(4);
  const auto work = [&](std::size_t own) {
    for (int i = 0; i < 200; ++i) {
      try {
        for (const Suggestion& suggestion : optimizer.ask(1)) {
          for (bool through = false; !through;) {
            try {
              optimizer.tell(suggestion.id, {suggestion.configuration.real("x"), 1.0});
              through = true;
              ++told[own];
            } catch (const ConcurrentCall&) {
              ++refused[own];
            }
          }
        }
        if (told[own] == 5) return;
      } catch (const ConcurrentCall&) {
        ++refused[own];
        std::this_thread::yield();
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < told.size(); ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  std::size_t all = 0;
  for (const std::size_t one : told) all += one;
  EXPECT_EQ(optimizer.observations().size(), all);
  EXPECT_GT(all, 0u);
  EXPECT_EQ(optimizer.spent(), static_cast<double>(all));
}

}  // namespace
}  // namespace carbo
