#include "support/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using carbo::internal::ThreadPool;

TEST(ThreadPool, CallsEveryIndexOnce) {
  for (const std::size_t threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::size_t count : {0, 1, 2, 6, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      pool.parallel_for(count, [&](std::size_t i) { ++calls[i]; });
      for (const auto& called : calls) EXPECT_EQ(called.load(), 1);
    }
  }
}

TEST(ThreadPool, ZeroMeansAllCores) { EXPECT_GE(ThreadPool(0).threads(), 1u); }

TEST(ThreadPool, RethrowsAndStaysUsable) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.parallel_for(100,
                                 [](std::size_t i) {
                                   if (i == 37) throw std::domain_error("thirty-seven");
                                 }),
               std::domain_error);
  std::atomic<int> calls{0};
  pool.parallel_for(50, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls.load(), 50);
}

TEST(ThreadPool, RunsNestedLoops) {
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  pool.parallel_for(8, [&](std::size_t) { pool.parallel_for(9, [&](std::size_t) { ++calls; }); });
  EXPECT_EQ(calls.load(), 72);
}

TEST(ThreadPool, ServesSeveralCallers) {
  ThreadPool pool(2);
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 100; ++repeat) pool.parallel_for(10, [&](std::size_t) { ++calls; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls.load(), 4000);
}
