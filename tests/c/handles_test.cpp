#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "c/scene.hpp"

// Handles, messages, and more than one thread.
namespace {

using namespace c_scene;

/// Calls every function that takes a handle, and wants the same status of each.
void expect_of_every_function(carbo_selector* selector, carbo_status expected, const std::string& part) {
  const Problem problem;
  std::vector<std::int64_t> rows(1);
  std::vector<double> values(1);
  const carbo_matrix matrix = carbo_matrix_of(problem.pool.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, 1, 3);
  const carbo_vector vector = host(values);
  const carbo_indices indices = host(rows);
  const carbo_index_room index_room = room(rows);
  const carbo_vector_room vector_room = room(values);
  const carbo_pick_request request = picks(1);
  carbo_selector_info info{};
  info.struct_size = sizeof info;
  char buffer[10];
  std::int64_t written = 0;
  const auto refused = [&](carbo_status status) { expect_failure(status, expected, {part}); };
  refused(carbo_selector_set_pool(selector, &matrix, nullptr));
  refused(carbo_selector_append_points(selector, &matrix, &vector, &vector));
  refused(carbo_selector_append_rows(selector, &indices, &vector, &vector));
  refused(carbo_selector_fit(selector, nullptr));
  refused(carbo_selector_suggest(selector, &request, &index_room, nullptr, &written));
  refused(carbo_selector_design(selector, &request, &index_room, &written));
  refused(carbo_selector_scores(selector, &request, &vector_room));
  refused(carbo_selector_withdraw(selector, &indices));
  refused(carbo_selector_get_info(selector, &info));
  refused(carbo_selector_backend_reason(selector, buffer, sizeof buffer, nullptr));
  refused(carbo_selector_destroy(selector));
}

void expect_not_live(carbo_selector* selector, const std::string& part) {
  expect_of_every_function(selector, CARBO_INVALID_HANDLE, part);
  char buffer[10];
  expect_failure(carbo_selector_message(selector, buffer, sizeof buffer, nullptr), CARBO_INVALID_HANDLE, {part});
}

TEST(CHandles, NullIsRefused) { expect_not_live(nullptr, "null"); }

TEST(CHandles, WhatWasNeverAHandleIsRefused) {
  std::int64_t something = 42;
  expect_not_live(reinterpret_cast<carbo_selector*>(&something), "no handle");
}

TEST(CHandles, ADestroyedHandleIsRefusedThoughOthersWereMadeSince) {
  const carbo_selector_options options = some_options(3);
  carbo_selector* gone = nullptr;
  ASSERT_EQ(carbo_selector_create(&options, &gone), CARBO_OK);
  ASSERT_EQ(carbo_selector_destroy(gone), CARBO_OK);
  const Scene first, second;
  EXPECT_NE(first.selector, gone);
  EXPECT_NE(second.selector, gone);
  EXPECT_NE(first.selector, second.selector);
  expect_not_live(gone, "destroyed");
  EXPECT_EQ(first.info().observations, 12) << "the others are not touched";
}

TEST(CMessages, AreKeptByHandleAndByThread) {
  Scene first, second;
  EXPECT_EQ(message_of(first.selector), "") << "nothing failed";
  expect_failure(carbo_selector_get_info(first.selector, nullptr), CARBO_NULL_POINTER,
                 {"carbo_selector_get_info", "info is null"});
  EXPECT_EQ(message_of(first.selector), thread_message());
  EXPECT_EQ(message_of(second.selector), "");
  EXPECT_EQ(first.info().observations, 12);
  EXPECT_EQ(message_of(first.selector), thread_message()) << "of the last call that failed, whatever came after";
  std::string elsewhere = "not asked";
  std::thread([&] { elsewhere = thread_message(); }).join();
  EXPECT_EQ(elsewhere, "");
}

TEST(CMessages, AreCutToTheBuffer) {
  Scene scene;
  expect_failure(carbo_selector_get_info(scene.selector, nullptr), CARBO_NULL_POINTER);
  const std::string whole = message_of(scene.selector);
  std::int64_t length = 0;
  EXPECT_EQ(carbo_selector_message(scene.selector, nullptr, 0, &length), CARBO_OK);
  EXPECT_EQ(length, static_cast<std::int64_t>(whole.size()));
  char buffer[] = "0123456789";
  EXPECT_EQ(carbo_selector_message(scene.selector, buffer, 6, nullptr), CARBO_OK);
  EXPECT_EQ(std::string(buffer), whole.substr(0, 5));
  EXPECT_EQ(buffer[6], '6') << "written beyond the capacity";
  std::vector<char> exact(whole.size() + 1, 'x');
  EXPECT_EQ(carbo_message(exact.data(), static_cast<std::int64_t>(exact.size()), nullptr), CARBO_OK);
  EXPECT_EQ(exact.data(), whole);
  expect_failure(carbo_message(nullptr, 5, nullptr), CARBO_NULL_POINTER, {"buffer"});
  expect_failure(carbo_selector_message(scene.selector, buffer, -1, nullptr), CARBO_SHAPE, {"capacity is -1"});
  EXPECT_EQ(message_of(scene.selector), whole) << "asking for a message is no call on the handle";
}

TEST(CMessages, StatusesHaveNames) {
  EXPECT_STREQ(carbo_status_name(CARBO_OK), "CARBO_OK");
  EXPECT_STREQ(carbo_status_name(CARBO_SHAPE), "CARBO_SHAPE");
  EXPECT_STREQ(carbo_status_name(CARBO_UNAVAILABLE), "CARBO_UNAVAILABLE");
  EXPECT_STREQ(carbo_status_name(CARBO_INTERNAL_ERROR), "CARBO_INTERNAL_ERROR");
  EXPECT_STREQ(carbo_status_name(CARBO_INVALID_CONFIGURATION), "CARBO_INVALID_CONFIGURATION");
  EXPECT_STREQ(carbo_status_name(CARBO_INVALID_STATE), "CARBO_INVALID_STATE");
  for (const carbo_status unknown : {-1, CARBO_INVALID_STATE + 1, 1 << 30})
    EXPECT_STREQ(carbo_status_name(unknown), "unknown status");
}

TEST(CThreads, ACallDuringAnotherIsRefusedAndDisturbsNothing) {
  Scene scene(50);
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::thread other([&] {
    while (!stop) {
      const carbo_status status = carbo_selector_fit(scene.selector, nullptr);
      if (status != CARBO_OK && status != CARBO_CONCURRENT_CALL) ++wrong;
    }
  });
  std::string refusal;
  while (refusal.empty()) {
    carbo_selector_info info{};
    info.struct_size = sizeof info;
    const carbo_status status = carbo_selector_get_info(scene.selector, &info);
    if (status == CARBO_CONCURRENT_CALL) refusal = thread_message();
    if (status != CARBO_OK && status != CARBO_CONCURRENT_CALL) ++wrong;
  }
  EXPECT_EQ(message_of(scene.selector), "") << "a refusal belongs to the thread that was refused";
  stop = true;
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_NE(refusal.find("carbo_selector_fit"), std::string::npos) << refusal;
  EXPECT_EQ(scene.info().observations, 50);
}

TEST(CThreads, DestroyDuringACallIsRefusedOrComesAfterIt) {
  for (int round = 0; round < 5; ++round) {
    Scene scene;
    std::thread other([&] {
      carbo_status status = CARBO_OK;
      while (status == CARBO_OK || status == CARBO_CONCURRENT_CALL) {
        status = carbo_selector_fit(scene.selector, nullptr);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      EXPECT_EQ(status, CARBO_INVALID_HANDLE);
    });
    carbo_status status = CARBO_CONCURRENT_CALL;
    while (status == CARBO_CONCURRENT_CALL) status = carbo_selector_destroy(scene.selector);
    EXPECT_EQ(status, CARBO_OK);
    other.join();
  }
}

/// One row, asked for until no other thread is in the way.
std::int64_t patient_pick(carbo_selector* selector) {
  std::int64_t row = -1, written = 0;
  const carbo_pick_request request = picks(1);
  const carbo_index_room output = carbo_index_room_of(&row, CARBO_HOST, 1);
  carbo_status status = CARBO_CONCURRENT_CALL;
  while (status == CARBO_CONCURRENT_CALL)
    status = carbo_selector_suggest(selector, &request, &output, nullptr, &written);
  EXPECT_EQ(status, CARBO_OK) << thread_message();
  return row;
}

TEST(CThreads, TwoThreadsOnOneHandleGetTheRowsThatOneWouldGet) {
  Scene alone, shared;
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 10; ++i) expected.push_back(alone.suggest(1)[0]);
  std::vector<std::vector<std::int64_t>> found(2);
  std::vector<std::thread> threads;
  for (std::vector<std::int64_t>& rows : found)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) rows.push_back(patient_pick(shared.selector));
    });
  for (std::thread& thread : threads) thread.join();
  // Whose turn it is, is the scheduler's choice; each pick depends on those before it alone.
  std::vector<std::int64_t> together = found[0];
  together.insert(together.end(), found[1].begin(), found[1].end());
  EXPECT_TRUE(std::is_permutation(together.begin(), together.end(), expected.begin(), expected.end()));
  EXPECT_EQ(shared.info().running, 10);
}

TEST(CThreads, HandlesOfTheirOwnAreIndependent) {
  std::vector<std::vector<std::int64_t>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<std::int64_t>& rows : found) threads.emplace_back([&rows] { rows = Scene().suggest(5); });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::int64_t>& rows : found) EXPECT_EQ(rows, found[0]);
}

}  // namespace
