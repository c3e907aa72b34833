#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/backend_fixture.hpp"
#include "support/sanitized.hpp"
#include "support/thread_pool.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

/// What is suggested where memory is tight: some of Ω̃ is streamed, and designs see a sample of
/// it.
test::Visits tight_visits(std::size_t threads) {
  Options options;
  options.budget = 60;
  options.seed = 7;
  options.batch_size = 3;
  options.max_evaluations = 24;
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = threads;
  options.backend.memory_bytes = 3200000;
  Optimizer optimizer(Space{real("x", 0, 1), real("y", 0, 1)}, options);
  test::Visits seen;
  while (!optimizer.done()) {
    for (const Suggestion& one : optimizer.ask()) {
      const double x = one.configuration.real("x"), y = one.configuration.real("y");
      seen.push_back({x, y});
      optimizer.tell(one.id, {std::sin(9 * x) * std::cos(7 * y) + x * y, 1 + 3 * x});
    }
  }
  return seen;
}

TEST(MemoryThreads, SuggestionsDoNotDependOnThreadsWhereMemoryIsTight) {
  const test::Visits one = tight_visits(1);
  ASSERT_EQ(one.size(), 24u);
  for (const std::size_t threads : {2u, 4u, 7u}) {
    if (test::sanitized && threads != 4) continue;
    EXPECT_EQ(tight_visits(threads), one) << threads;
  }
}

/// Nothing but the threads that work, and what these and their likelihoods take.
TEST(MemoryThreads, APlanDecidesTheSameForAnyNumberOfThreads) {
  int streamed = 0, subsets = 0, fewer_threads = 0;
  for (std::size_t budget = 3 << 20; budget < (std::size_t{4} << 30); budget = budget * 5 / 4) {
    for (const std::size_t observations : {10u, 300u, 3000u}) {
      MemoryRequest request;
      request.candidates = 200000;
      request.parameters = request.columns = 4;
      request.observations = observations;
      request.fantasies = 10;
      request.budget = budget;
      if (budget < least_memory(request)) continue;
      const MemoryPlan one = plan_memory(request);
      streamed += one.streamed ? 1 : 0;
      subsets += one.model_points < one.points ? 1 : 0;
      for (const std::size_t threads : {2u, 4u, 5u, 64u, 4096u}) {
        request.threads = threads;
        const MemoryPlan plan = plan_memory(request);
        EXPECT_EQ(plan.streamed, one.streamed);
        EXPECT_EQ(plan.tile, one.tile);
        EXPECT_EQ(plan.sample, one.sample);
        EXPECT_EQ(plan.model_points, one.model_points);
        EXPECT_LE(plan.total_bytes(), budget);
        EXPECT_GE(plan.threads, std::min<std::size_t>(threads, 4));
        EXPECT_LE(plan.threads, threads);
        EXPECT_GE(plan.fit_bytes, one.fit_bytes);
        fewer_threads += plan.threads < threads ? 1 : 0;
      }
    }
  }
  EXPECT_GT(streamed, 10);
  EXPECT_GT(subsets, 5);
  EXPECT_GT(fewer_threads, 10);
}

/// Requests of many sizes, so that some share threads and some are computed with all of them.
TEST(MemoryThreads, LikelihoodsAreTheSameBitsWithAnyLimitOfBytesAndThreads) {
  const auto backend = fixture::cpu(4);
  std::vector<oracle::Points> points;
  std::vector<std::vector<double>> targets;
  for (const std::size_t rows : {30u, 300u, 31u, 290u, 5u, 270u, 260u}) {
    points.push_back(oracle::Uniform(rows).points(rows, 3));
    targets.push_back(oracle::Uniform(rows + 1).values(rows, -1, 1));
  }
  const std::vector<int> groups{0, 1, 2};
  const std::vector<double> log_parameters{-0.5, 0.0, 0.3, 0.1, -4.0};
  std::vector<fixture::Rows> rows(points.begin(), points.end());
  std::vector<internal::LikelihoodRequest> requests;
  for (std::size_t i = 0; i < rows.size(); ++i)
    requests.push_back({rows[i].view(), targets[i], groups, log_parameters, {}});
  std::vector<internal::LikelihoodValue> free(requests.size()), limited(requests.size());
  backend->likelihoods(requests, free);
  const std::size_t one_matrix = 300 * 300 * sizeof(double);
  for (const internal::WorkLimits limits :
       {internal::WorkLimits{4, one_matrix}, internal::WorkLimits{4, 6 * one_matrix}, internal::WorkLimits{2, 1},
        internal::WorkLimits{1, 1000 * one_matrix}}) {
    backend->limit_work(limits);
    backend->likelihoods(requests, limited);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(limited[i].log_likelihood, free[i].log_likelihood);
      EXPECT_EQ(limited[i].gradient, free[i].gradient);
    }
  }
}

TEST(MemoryThreads, NoMoreThreadsWorkThanMay) {
  internal::ThreadPool pool(6);
  for (const std::size_t most : {1u, 3u, 6u, 100u, 2u}) {
    pool.limit(most);
    EXPECT_EQ(pool.threads(), std::min<std::size_t>(most, 6));
    for (int turn = 0; turn < 50; ++turn) {
      std::mutex mutex;
      std::set<std::thread::id> seen;
      std::size_t calls = 0;
      pool.parallel_for(40, [&](std::size_t) {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
        ++calls;
      });
      EXPECT_EQ(calls, 40u);
      EXPECT_LE(seen.size(), most);
    }
  }
}

}  // namespace
}  // namespace carbo
