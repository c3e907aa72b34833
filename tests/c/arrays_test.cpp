#include <limits>

#include "c/scene.hpp"
#include "support/not_finite.hpp"

// What is refused of arrays, in host memory. A refused call leaves the selector as it was.
namespace {

using namespace c_scene;

using carbo::test::infinity;
using carbo::test::not_a_number;

class CArrays : public testing::Test {
 protected:
  void TearDown() override {
    const carbo_selector_info after = scene.info();
    EXPECT_EQ(after.pool_size, 60);
    EXPECT_EQ(after.observations, 12);
    EXPECT_EQ(after.running, 0);
    EXPECT_EQ(after.available, 48);
    EXPECT_EQ(scene.suggest(4), Scene().suggest(4)) << "the refused call changed something";
  }

  /// set_pool with the pool's struct changed.
  template <class Change>
  void expect_pool_refused(carbo_status status, const std::string& part, const Change& change) {
    carbo_matrix rows = scene.pool();
    change(rows);
    expect_failure(carbo_selector_set_pool(scene.selector, &rows, nullptr), status, {part});
  }
  /// append_points of two points with the structs changed.
  template <class Change>
  void expect_points_refused(carbo_status status, const std::string& part, const Change& change) {
    carbo_matrix points = scene.pool();
    points.rows = 2;
    carbo_vector objectives = host(two), costs = host(two);
    change(points, objectives, costs);
    expect_failure(carbo_selector_append_points(scene.selector, &points, &objectives, &costs), status, {part});
  }
  void expect_values_refused(carbo_status status, const std::vector<double>& objectives,
                             const std::vector<double>& costs, const std::vector<std::int64_t>& rows = {20, 21}) {
    const carbo_indices which = host(rows);
    const carbo_vector values = host(objectives), prices = host(costs);
    expect_failure(carbo_selector_append_rows(scene.selector, &which, &values, &prices), status);
  }

  Scene scene;
  std::vector<double> two = {1.5, 2.5};
};

TEST_F(CArrays, NullPointers) {
  const carbo_matrix rows = scene.pool();
  const carbo_vector values = host(two);
  const carbo_pick_request request = picks(1);
  std::int64_t row = 0, written = 0;
  const carbo_index_room output = carbo_index_room_of(&row, CARBO_HOST, 1);
  const auto null = [](carbo_status status) { expect_failure(status, CARBO_NULL_POINTER, {"null"}); };
  null(carbo_selector_set_pool(scene.selector, nullptr, nullptr));
  null(carbo_selector_append_points(scene.selector, nullptr, &values, &values));
  null(carbo_selector_append_points(scene.selector, &rows, nullptr, &values));
  null(carbo_selector_append_rows(scene.selector, nullptr, &values, &values));
  null(carbo_selector_suggest(scene.selector, nullptr, &output, nullptr, &written));
  null(carbo_selector_suggest(scene.selector, &request, nullptr, nullptr, &written));
  null(carbo_selector_suggest(scene.selector, &request, &output, nullptr, nullptr));
  null(carbo_selector_design(scene.selector, &request, nullptr, &written));
  null(carbo_selector_scores(scene.selector, &request, nullptr));
  null(carbo_selector_withdraw(scene.selector, nullptr));
  null(carbo_selector_get_info(scene.selector, nullptr));
}

TEST_F(CArrays, ArraysWithoutData) {
  expect_pool_refused(CARBO_NULL_POINTER, "null", [](carbo_matrix& rows) { rows.data = nullptr; });
  expect_points_refused(CARBO_NULL_POINTER, "points", [](auto& points, auto&, auto&) { points.data = nullptr; });
  expect_points_refused(CARBO_NULL_POINTER, "objectives", [](auto&, auto& values, auto&) { values.data = nullptr; });
  expect_points_refused(CARBO_NULL_POINTER, "costs", [](auto&, auto&, auto& costs) { costs.data = nullptr; });
  const carbo_pick_request request = picks(2);
  const carbo_index_room nowhere = carbo_index_room_of(nullptr, CARBO_HOST, 2);
  const carbo_vector_room no_scores = carbo_vector_room_of(nullptr, CARBO_FLOAT64, CARBO_HOST, 60);
  std::int64_t written = 0;
  expect_failure(carbo_selector_suggest(scene.selector, &request, &nowhere, nullptr, &written), CARBO_NULL_POINTER);
  expect_failure(carbo_selector_scores(scene.selector, &request, &no_scores), CARBO_NULL_POINTER);
}

TEST_F(CArrays, ShapesThatDoNotFit) {
  expect_pool_refused(CARBO_SHAPE, "no rows", [](carbo_matrix& rows) { rows.rows = 0; });
  expect_pool_refused(CARBO_SHAPE, "rows is -1", [](carbo_matrix& rows) { rows.rows = -1; });
  expect_pool_refused(CARBO_SHAPE, "columns", [](carbo_matrix& rows) { rows.columns = 4; });
  expect_pool_refused(CARBO_SHAPE, "columns", [](carbo_matrix& rows) { rows.columns = 0; });
  expect_pool_refused(CARBO_SHAPE, "columns is -3", [](carbo_matrix& rows) { rows.columns = -3; });
  expect_pool_refused(CARBO_SHAPE, "", [](carbo_matrix& rows) {
    rows.rows = std::numeric_limits<std::int64_t>::max();
    rows.leading_dimension = std::numeric_limits<std::int64_t>::max();
  });
  expect_points_refused(CARBO_SHAPE, "", [](auto&, auto& values, auto&) { values.size = 1; });
  expect_points_refused(CARBO_SHAPE, "", [](auto&, auto&, auto& costs) { costs.size = 1; });
  expect_points_refused(CARBO_SHAPE, "size is -2", [](auto&, auto&, auto& costs) { costs.size = -2; });
  expect_values_refused(CARBO_SHAPE, {}, {}, {});
  const carbo_matrix rows = scene.pool();
  const carbo_vector costs = host(two);
  expect_failure(carbo_selector_set_pool(scene.selector, &rows, &costs), CARBO_SHAPE, {"2", "60"});
}

/// Null leaves an array out; one without elements is a mistake of the caller's.
TEST_F(CArrays, ArraysWithoutElementsWhereNullWouldLeaveThemOut) {
  const carbo_matrix pool = scene.pool();
  const carbo_vector no_costs = carbo_vector_of(two.data(), CARBO_FLOAT64, CARBO_HOST, 0);
  expect_failure(carbo_selector_set_pool(scene.selector, &pool, &no_costs), CARBO_SHAPE, {"costs", "null"});
  const carbo_pick_request request = picks(1);
  std::vector<std::int64_t> rows(1, -1);
  std::vector<double> score(1);
  std::int64_t written = -1;
  const carbo_index_room output = room(rows);
  const carbo_vector_room no_scores = carbo_vector_room_of(score.data(), CARBO_FLOAT64, CARBO_HOST, 0);
  expect_failure(carbo_selector_suggest(scene.selector, &request, &output, &no_scores, &written), CARBO_SHAPE,
                 {"scores", "null"});
  EXPECT_EQ(rows[0], -1);
}

TEST_F(CArrays, LeadingDimensionsThatAreTooSmall) {
  expect_pool_refused(CARBO_LEADING_DIMENSION, "leading dimension is 2",
                      [](carbo_matrix& rows) { rows.leading_dimension = 2; });
  expect_pool_refused(CARBO_LEADING_DIMENSION, "leading dimension is 59", [](carbo_matrix& rows) {
    rows.order = CARBO_COLUMN_MAJOR;
    rows.leading_dimension = 59;
  });
  expect_pool_refused(CARBO_SHAPE, "leading_dimension is -1",
                      [](carbo_matrix& rows) { rows.leading_dimension = -1; });
  expect_points_refused(CARBO_LEADING_DIMENSION, "",
                        [](auto& points, auto&, auto&) { points.leading_dimension = 1; });
}

TEST_F(CArrays, AddressesThatAreNotAligned) {
  const auto shifted = [](const void* data, std::size_t bytes) {
    return static_cast<const void*>(static_cast<const char*>(data) + bytes);
  };
  expect_pool_refused(CARBO_MISALIGNED, "8", [&](carbo_matrix& rows) { rows.data = shifted(rows.data, 4); });
  expect_pool_refused(CARBO_MISALIGNED, "4", [&](carbo_matrix& rows) {
    rows.scalar = CARBO_FLOAT32;
    rows.data = shifted(rows.data, 2);
  });
  expect_points_refused(CARBO_MISALIGNED, "costs",
                        [&](auto&, auto&, auto& costs) { costs.data = shifted(costs.data, 1); });
  std::vector<std::int64_t> rows(3);
  auto* const odd = reinterpret_cast<std::int64_t*>(reinterpret_cast<char*>(rows.data()) + 4);
  const carbo_pick_request request = picks(2);
  const carbo_index_room output = carbo_index_room_of(odd, CARBO_HOST, 2);
  std::int64_t written = 0;
  expect_failure(carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written), CARBO_MISALIGNED);
}

TEST_F(CArrays, OutputsThatOverlap) {
  std::int64_t memory[4] = {};
  const carbo_pick_request request = picks(3);
  const carbo_index_room rows = carbo_index_room_of(memory, CARBO_HOST, 3);
  const carbo_vector_room scores = carbo_vector_room_of(memory + 1, CARBO_FLOAT64, CARBO_HOST, 3);
  std::int64_t written = 0;
  expect_failure(carbo_selector_suggest(scene.selector, &request, &rows, &scores, &written), CARBO_OVERLAPPING);
}

TEST_F(CArrays, OutputsWithTooLittleRoom) {
  std::vector<std::int64_t> rows(3);
  std::vector<double> scores(59);
  std::int64_t written = 0;
  const carbo_pick_request request = picks(4);
  const carbo_index_room few_rows = room(rows);
  const carbo_vector_room few_scores = room(scores);
  expect_failure(carbo_selector_suggest(scene.selector, &request, &few_rows, nullptr, &written), CARBO_SHAPE);
  expect_failure(carbo_selector_design(scene.selector, &request, &few_rows, &written), CARBO_SHAPE);
  expect_failure(carbo_selector_scores(scene.selector, &request, &few_scores), CARBO_SHAPE);
}

TEST_F(CArrays, UnknownEnumerators) {
  expect_pool_refused(CARBO_INVALID_OPTIONS, "rows.memory is 2", [](carbo_matrix& rows) { rows.memory = 2; });
  expect_pool_refused(CARBO_INVALID_OPTIONS, "rows.scalar is 7", [](carbo_matrix& rows) { rows.scalar = 7; });
  expect_pool_refused(CARBO_INVALID_OPTIONS, "rows.order is -1", [](carbo_matrix& rows) { rows.order = -1; });
}

TEST_F(CArrays, DeviceMemoryWithoutADevice) {
  const std::string reason = ": asked for";  // after the level, which is the machine's
  expect_pool_refused(CARBO_UNAVAILABLE, reason, [](carbo_matrix& rows) { rows.memory = CARBO_DEVICE; });
  expect_points_refused(CARBO_UNAVAILABLE, reason, [](auto&, auto& values, auto&) { values.memory = CARBO_DEVICE; });
  std::vector<std::int64_t> rows(60);
  std::vector<double> values(60);
  std::int64_t written = 0;
  const carbo_pick_request request = picks(2);
  carbo_index_room output = room(rows);
  carbo_vector_room scores = room(values);
  carbo_indices which = host(rows);
  output.memory = scores.memory = which.memory = CARBO_DEVICE;
  const auto unavailable = [&](carbo_status status) { expect_failure(status, CARBO_UNAVAILABLE, {reason}); };
  unavailable(carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written));
  unavailable(carbo_selector_design(scene.selector, &request, &output, &written));
  unavailable(carbo_selector_scores(scene.selector, &request, &scores));
  unavailable(carbo_selector_withdraw(scene.selector, &which));
}

TEST_F(CArrays, ValuesThatCannotBe) {
  for (const double wrong : {not_a_number, infinity, -infinity}) {
    Problem bad;
    bad.pool[100] = wrong;
    expect_pool_refused(CARBO_NOT_FINITE, "row 33, column 1",
                        [&](carbo_matrix& rows) { rows.data = bad.pool.data(); });
    expect_points_refused(CARBO_NOT_FINITE, "row 1, column 2",
                          [&](auto& points, auto&, auto&) { points.data = bad.pool.data() + 95; });
    expect_values_refused(CARBO_INVALID_OBSERVATION, {1, wrong}, two);
    expect_values_refused(CARBO_INVALID_OBSERVATION, two, {1, wrong});
    std::vector<double> costs(60, 1.0);
    costs[59] = wrong;
    const carbo_matrix rows = scene.pool();
    const carbo_vector prices = host(costs);
    expect_failure(carbo_selector_set_pool(scene.selector, &rows, &prices), CARBO_NOT_FINITE, {"row 59"});
  }
  Problem outside;
  outside.pool[0] = 1.0000001;
  expect_pool_refused(CARBO_OUT_OF_RANGE, "[0, 1]", [&](carbo_matrix& rows) { rows.data = outside.pool.data(); });
  expect_values_refused(CARBO_INVALID_OBSERVATION, two, {1, 0});
  expect_values_refused(CARBO_INVALID_OBSERVATION, two, {-1, 1});
  expect_values_refused(CARBO_OUT_OF_RANGE, two, two, {20, 60});
  expect_values_refused(CARBO_OUT_OF_RANGE, two, two, {-1, 20});
}

TEST_F(CArrays, RequestsThatCannotBe) {
  std::vector<std::int64_t> rows(100);
  const carbo_index_room output = room(rows);
  std::int64_t written = 0;
  const auto refused = [&](const std::string& part, auto change) {
    carbo_pick_request request = picks(1);
    change(request);
    expect_failure(carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written),
                   CARBO_INVALID_OPTIONS, {part});
    expect_failure(carbo_selector_design(scene.selector, &request, &output, &written), CARBO_INVALID_OPTIONS, {part});
  };
  refused("count is 0", [](carbo_pick_request& request) { request.count = 0; });
  refused("count is -1", [](carbo_pick_request& request) { request.count = -1; });
  refused("count is 49, but only 48", [](carbo_pick_request& request) { request.count = 49; });
  refused("count is 61", [](carbo_pick_request& request) { request.count = 61; });
  for (const double wrong : {not_a_number, 0.0, -1.0})
    refused("cost_limit", [&](carbo_pick_request& request) { request.cost_limit = wrong; });
  for (const double wrong : {not_a_number, -0.1, 1.1, infinity}) {
    const carbo_pick_request request = picks(1, wrong);
    expect_failure(carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written),
                   CARBO_INVALID_OPTIONS, {"alpha"});
  }
  const std::vector<std::int64_t> idle = {30};
  const carbo_indices not_running = host(idle);
  expect_failure(carbo_selector_withdraw(scene.selector, &not_running), CARBO_UNKNOWN_SUGGESTION, {"row 30"});
}

/// As carbo.h says of them.
TEST(CRequests, WhatACallDoesNotLookAtMayBeAnything) {
  Scene scene;
  std::vector<double> scores(60), expected(60);
  const carbo_vector_room to = room(scores), expected_to = room(expected);
  const carbo_pick_request plain = picks(1), no_count = picks(-1), no_alpha = picks(2, not_a_number);
  EXPECT_EQ(carbo_selector_scores(scene.selector, &plain, &expected_to), CARBO_OK) << thread_message();
  EXPECT_EQ(carbo_selector_scores(scene.selector, &no_count, &to), CARBO_OK) << thread_message();
  EXPECT_EQ(scores, expected);
  std::vector<std::int64_t> rows(2, -1);
  const carbo_index_room output = room(rows);
  std::int64_t written = 0;
  EXPECT_EQ(carbo_selector_design(scene.selector, &no_alpha, &output, &written), CARBO_OK) << thread_message();
  EXPECT_EQ(written, 2);
}

TEST(CArraysOfNothing, ASuggestionNeedsAPoolAndAnObservation) {
  Scene scene(0);
  const carbo_pick_request request = picks(1);
  std::int64_t row = -1, written = -1;
  const carbo_index_room output = carbo_index_room_of(&row, CARBO_HOST, 1);
  expect_failure(carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written),
                 CARBO_INVALID_OBSERVATION, {"observed"});
  expect_failure(carbo_selector_fit(scene.selector, nullptr), CARBO_INVALID_OBSERVATION, {"observed"});
  const carbo_selector_options options = some_options(3);
  carbo_selector* bare = nullptr;
  ASSERT_EQ(carbo_selector_create(&options, &bare), CARBO_OK);
  expect_failure(carbo_selector_suggest(bare, &request, &output, nullptr, &written), CARBO_INVALID_OPTIONS, {"pool"});
  EXPECT_EQ(row, -1);
  EXPECT_EQ(written, -1);
  EXPECT_EQ(carbo_selector_destroy(bare), CARBO_OK);
}

}  // namespace
