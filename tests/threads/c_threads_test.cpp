#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include <carbo/carbo.h>

// The C face in several threads: for the thread sanitizer.
namespace {

constexpr int64_t rows = 60, columns = 2;

std::vector<double> pool_numbers() {
  std::vector<double> numbers;
  for (int i = 0; i < rows * columns; ++i) numbers.push_back(0.5 + 0.5 * std::sin(3.7 * i));
  return numbers;
}

carbo_selector* make_selector() {
  carbo_selector_options options;
  EXPECT_EQ(carbo_selector_options_init(&options, sizeof options), CARBO_OK);
  options.columns = columns;
  options.restarts = options.cost_restarts = 1;
  options.backend = CARBO_BACKEND_CPU;
  options.threads = 2;
  carbo_selector* selector = nullptr;
  EXPECT_EQ(carbo_selector_create(&options, &selector), CARBO_OK);
  return selector;
}

void fill(carbo_selector* selector, const std::vector<double>& numbers) {
  const carbo_matrix pool =
      carbo_matrix_of(numbers.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, rows, columns);
  EXPECT_EQ(carbo_selector_set_pool(selector, &pool, nullptr), CARBO_OK);
  const std::array<int64_t, 3> tried{0, 7, 20};
  const std::array<double, 3> objectives{0.3, -0.2, 0.9}, prices{1.0, 2.0, 1.5};
  const carbo_indices indices = carbo_indices_of(tried.data(), CARBO_HOST, 3);
  const carbo_vector objective = carbo_vector_of(objectives.data(), CARBO_FLOAT64, CARBO_HOST, 3);
  const carbo_vector cost = carbo_vector_of(prices.data(), CARBO_FLOAT64, CARBO_HOST, 3);
  EXPECT_EQ(carbo_selector_append_rows(selector, &indices, &objective, &cost), CARBO_OK);
}

carbo_status suggest(carbo_selector* selector, std::array<int64_t, 2>& picked) {
  const carbo_index_room room = carbo_index_room_of(picked.data(), CARBO_HOST, 2);
  carbo_pick_request request;
  EXPECT_EQ(carbo_pick_request_init(&request, sizeof request), CARBO_OK);
  request.count = 2;
  int64_t written = 0;
  return carbo_selector_suggest(selector, &request, &room, nullptr, &written);
}

TEST(CThreads, HandlesOfTheirOwn) {
  const std::vector<double> numbers = pool_numbers();
  std::vector<std::array<int64_t, 2>> found(4);
  std::vector<std::thread> threads;
  for (auto& own : found)
    threads.emplace_back([&] {
      carbo_selector* const selector = make_selector();
      fill(selector, numbers);
      EXPECT_EQ(suggest(selector, own), CARBO_OK);
      EXPECT_EQ(carbo_selector_withdraw(nullptr, nullptr), CARBO_INVALID_HANDLE);
      EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : found) EXPECT_EQ(own, found.front());
}

TEST(CThreads, OneHandleThatAllWant) {
  const std::vector<double> numbers = pool_numbers();
  carbo_selector* const selector = make_selector();
  fill(selector, numbers);
  std::atomic<int> through = 0, others = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 6; ++k) {
        std::array<int64_t, 2> picked{};
        const carbo_status status = suggest(selector, picked);
        through += status == CARBO_OK ? 1 : 0;
        others += status != CARBO_OK && status != CARBO_CONCURRENT_CALL ? 1 : 0;
        std::array<char, 100> words{};
        EXPECT_EQ(carbo_selector_message(selector, words.data(), 100, nullptr), CARBO_OK);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(through, 0);
  EXPECT_EQ(others, 0);
  carbo_selector_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(carbo_selector_get_info(selector, &info), CARBO_OK);
  EXPECT_EQ(info.running, 2 * through);
  EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
}

}  // namespace
