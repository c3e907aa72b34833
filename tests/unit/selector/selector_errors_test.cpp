#include <limits>
#include <string>
#include <vector>

#include "support/selector_errors.hpp"

// Arrays that a selector cannot work with: a typed error, and everything as it was.
namespace carbo {
namespace {

using namespace test;
using Reason = InvalidArray::Reason;

/// The address one byte on, in the type that it is not aligned to.
template <class T>
T* shifted(T* address) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + 1);
}

TEST_F(SelectorErrors, NullPointers) {
  const double* const none = nullptr;
  pool_refused(Reason::null_pointer, {"pool.rows"}, {host_rows(none, 60, 3)});
  pool_refused(Reason::null_pointer, {"pool.costs"}, {scene_.rows(), host_values(none, 60)});
  Observations observations = scene_.observations();
  observations.points.data = nullptr;
  append_refused(Reason::null_pointer, {"observations.points"}, observations);
  observations = scene_.observations();
  observations.objectives.data = nullptr;
  append_refused(Reason::null_pointer, {"observations.objectives"}, observations);
  observations = scene_.observations();
  observations.costs.data = nullptr;
  append_refused(Reason::null_pointer, {"observations.costs"}, observations);
  observations = scene_.observations();
  observations.points = {};
  observations.rows = host_indices(nullptr, scene_.tried.size());
  append_refused(Reason::null_pointer, {"rows"}, observations);
  suggest_refused(Reason::null_pointer, {"output.rows"}, {host_index_room(nullptr, 3)});
  suggest_refused(Reason::null_pointer, {"output.scores"},
                  {host_index_room(rows_.data(), 3), host_room(static_cast<double*>(nullptr), 3)});
  expect_refused(Reason::null_pointer, {"output"},
                 [&] { selector_.scores({}, host_room(static_cast<float*>(nullptr), 60)); });
  expect_refused(Reason::null_pointer, {"rows"}, [&] { selector_.withdraw(host_indices(nullptr, 1)); });
}

TEST_F(SelectorErrors, DeviceMemoryWhereThereIsNoDevice) {
  SelectorPool pool{scene_.rows()};
  pool.rows.memory = Memory::device;
  const std::vector<std::string> parts = {"pool.rows", "device memory", "runs on the host", "give host memory"};
  expect_error<BackendUnavailable>([&] { selector_.set_pool(pool); }, parts);
  Observations observations = scene_.observations();
  observations.costs.memory = Memory::device;
  append_throws<BackendUnavailable>({"observations.costs", "runs on the host"}, observations);
  expect_error<BackendUnavailable>(
      [&] {
        selector_.suggest({}, {{rows_.data(), Memory::device, 1}});
      },
      {"output.rows"});
  expect_error<BackendUnavailable>(
      [&] {
        selector_.scores({}, MutableVectorRef{scores_.data(), Scalar::float64, Memory::device, 60});
      },
      {"output"});
  expect_error<BackendUnavailable>([&] { selector_.withdraw({rows_.data(), Memory::device, 1}); }, {"rows"});
}

TEST_F(SelectorErrors, AStreamOrAnAllocatorWhereThereIsNoDevice) {
  expect_error<BackendUnavailable>([&] { Selector(scene_.options(), {.stream = nullptr}); },
                                   {"a stream or an allocator", "runs on the host", "BackendKind::cuda"});
}

TEST_F(SelectorErrors, MisalignedAddresses) {
  pool_refused(Reason::misaligned, {"pool.rows", "multiple of 8"},
               {host_rows(shifted(scene_.flat_pool.data()), 59, 3)});
  const std::vector<float> single(181);
  pool_refused(Reason::misaligned, {"pool.rows", "multiple of 4"}, {host_rows(shifted(single.data()), 60, 3)});
  suggest_refused(Reason::misaligned, {"output.rows", "multiple of 8"}, {host_index_room(shifted(rows_.data()), 3)});
  suggest_refused(Reason::misaligned, {"output.scores"},
                  {host_index_room(rows_.data(), 3), host_room(shifted(scores_.data()), 3)});
}

TEST_F(SelectorErrors, OutputsThatOverlap) {
  auto* const inside = reinterpret_cast<double*>(rows_.data() + 2);
  suggest_refused(Reason::overlapping, {"output.scores", "output.rows"},
                  {host_index_room(rows_.data(), 3), host_room(inside, 3)});
  // Side by side they do not overlap.
  Selector other = scene_.ready();
  EXPECT_EQ(other.suggest({.count = 2}, {host_index_room(rows_.data(), 2), host_room(inside, 2)}), 2u);
}

TEST_F(SelectorErrors, ShapesThatDoNotFit) {
  const double* const data = scene_.flat_pool.data();
  pool_refused(Reason::leading_dimension, {"pool.rows", "leading dimension is 2", "3 values"},
               {host_rows(data, 60, 3, 2)});
  pool_refused(Reason::leading_dimension, {"pool.rows", "leading dimension is 59", "column has 60"},
               {host_columns(data, 60, 3, 59)});
  pool_refused(Reason::shape, {"pool.rows", "no rows"}, {host_rows(data, 0, 3)});
  pool_refused(Reason::shape, {"pool.rows", "4 columns", "3 are expected"}, {host_rows(data, 45, 4)});
  pool_refused(Reason::shape, {"pool.rows", "4294967296 rows", "fewer than 2^32"},
               {host_rows(data, std::size_t{1} << 32, 3)});
  pool_refused(Reason::shape, {"pool.rows", "address space"}, {host_rows(data, std::size_t{1} << 61, 3)});
  pool_refused(Reason::shape, {"pool.costs", "59", "60 rows"},
               {scene_.rows(), host_values(scene_.pool_costs.data(), 59)});
  suggest_refused(Reason::shape, {"output.rows", "room for 2", "3 are needed"}, {host_index_room(rows_.data(), 2)});
  suggest_refused(Reason::shape, {"output.scores", "room for 1", "3 are needed"},
                  {host_index_room(rows_.data(), 3), host_room(scores_.data(), 1)});
  expect_refused(Reason::shape, {"output", "room for 59", "60 are needed"},
                 [&] { selector_.scores({}, host_room(scores_.data(), 59)); });
  expect_refused(Reason::shape, {"output.scores", "no scores"}, [&] {
    selector_.design({}, {host_index_room(rows_.data(), 1), host_room(scores_.data(), 1)});
  });
}

TEST_F(SelectorErrors, ObservationsThatDoNotFitTogether) {
  Observations both = scene_.observations();
  both.rows = host_indices(rows_.data(), scene_.tried.size());
  append_refused(Reason::shape, {"points and rows", "one of them"}, both);
  append_refused(Reason::shape, {"at least one"}, {});
  Observations few = scene_.observations();
  few.objectives.size = 15;
  append_refused(Reason::shape, {"16 points", "15", "objectives"}, few);
  few = scene_.observations();
  few.costs.size = 15;
  append_refused(Reason::shape, {"15 costs", "16"}, few);
  few.costs = {};
  append_refused(Reason::shape, {"0 costs", "16"}, few);
  Observations wide = scene_.observations();
  wide.points.columns = 2;
  append_refused(Reason::shape, {"observations.points", "2 columns", "3 are expected"}, wide);
}

TEST_F(SelectorErrors, ValuesOfThePoolThatCannotBeUsed) {
  const auto refused = [&](double value, Reason reason, const std::string& what) {
    std::vector<double> pool = scene_.flat_pool;
    pool[3 * 7 + 1] = value;
    pool_refused(reason, {"pool.rows", "row 7, column 1", what}, {host_rows(pool.data(), 60, 3)});
    std::vector<double> costs = scene_.pool_costs;
    costs[7] = value > 0 ? -value : value;
    pool_refused(reason, {"pool.costs", "row 7", "above 0"},
                 {scene_.rows(), host_values(costs.data(), costs.size())});
  };
  refused(not_a_number, Reason::not_finite, "finite");
  refused(infinity, Reason::not_finite, "finite");
  refused(1.5, Reason::out_of_range, "[0, 1]");
  refused(-1e-9, Reason::out_of_range, "[0, 1]");
  std::vector<double> costs = scene_.pool_costs;
  costs[0] = 0;
  pool_refused(Reason::out_of_range, {"pool.costs", "row 0"},
               {scene_.rows(), host_values(costs.data(), costs.size())});
}

TEST_F(SelectorErrors, ObservationsThatCannotBeLearnedFrom) {
  for (const double value : {not_a_number, infinity, -infinity}) {
    std::vector<double> values = scene_.objectives;
    values[4] = value;
    Observations observations = scene_.observations();
    observations.objectives = host_values(values.data(), values.size());
    append_throws<InvalidObservation>({"observations.objectives", "value 4", "finite"}, observations);
  }
  for (const double value : {not_a_number, infinity, 0.0, -2.0}) {
    std::vector<double> values = scene_.costs;
    values[4] = value;
    Observations observations = scene_.observations();
    observations.costs = host_values(values.data(), values.size());
    append_throws<InvalidObservation>({"observations.costs", "value 4", "above 0"}, observations);
  }
  for (const double value : {not_a_number, 1.25}) {
    std::vector<double> points = scene_.flat_tried;
    points[3 * 4 + 2] = value;
    Observations observations = scene_.observations();
    observations.points.data = points.data();
    append_refused(value == value ? Reason::out_of_range : Reason::not_finite,
                   {"observations.points", "row 4, column 2"}, observations);
  }
}

/// What the logarithm cannot take is refused when it is given, not when the models learn.
TEST_F(SelectorErrors, ObjectivesThatTheTransformCannotTake) {
  SelectorOptions options = scene_.options();
  options.transform = Transform::log;
  Selector selector(options);
  std::vector<double> values(scene_.tried.size(), 2.0);
  values[5] = 0;
  Observations observations = scene_.observations();
  observations.objectives = host_values(values.data(), values.size());
  expect_error<InvalidObservation>([&] { selector.append(observations); }, {"5", "above 0"});
  EXPECT_EQ(selector.observations(), 0u);
}

TEST_F(SelectorErrors, APoolThatPassesTheBudgetOfBytes) {
  SelectorOptions options = scene_.options();
  options.backend.memory_bytes = 1000;
  Selector selector(options);
  expect_error<OutOfMemory>([&] { selector.set_pool({scene_.rows()}); },
                            {"pool of 60 rows", "1000", "backend.memory_bytes"});
  EXPECT_EQ(selector.pool_size(), 0u);
}

/// Whichever comes first, the pool or the observations, and however many rows are asked for: what was told must be
/// held.
TEST_F(SelectorErrors, ObservationsThatOutgrowTheBudgetOfBytes) {
  const SelectorScene many(60, 600);
  SelectorOptions options = many.options();
  options.backend.memory_bytes = std::size_t{1} << 20;
  Selector pool_last(options), pool_first(options);
  pool_last.append(many.observations());
  expect_error<OutOfMemory>([&] { pool_last.set_pool({many.rows()}); }, {"60 rows", "600 observations"});
  pool_first.set_pool({many.rows()});
  pool_first.append(many.observations());
  const std::vector<std::string> parts = {"60 rows", "600 observations", "1048576", "backend.memory_bytes"};
  expect_error<OutOfMemory>([&] { pool_first.fit(); }, parts);
  expect_error<OutOfMemory>([&] { suggest(pool_first, {}); }, parts);
  expect_error<OutOfMemory>([&] { design(pool_first, {}); }, parts);
  expect_error<OutOfMemory>([&] { dense_scores(pool_first); }, parts);
  EXPECT_EQ(pool_first.observations(), 600u);
  EXPECT_EQ(pool_first.available(), 60u);
}

TEST_F(SelectorErrors, ModelsThatWouldOutgrowTheBudgetLearnFromASubset) {
  const SelectorScene many(60, 600);
  SelectorOptions options = many.options();
  options.backend.memory_bytes = std::size_t{8} << 20;
  Selector selector = many.ready(options);
  const SelectorFit fit = selector.fit();
  EXPECT_EQ(fit.observations, 600u);
  EXPECT_EQ(fit.objective_points.known, 600u);
  EXPECT_EQ(fit.cost_points.known, 600u);
  EXPECT_GE(fit.objective_points.used, 60u);
  EXPECT_LT(fit.objective_points.used, 300u);
  EXPECT_EQ(suggest(selector, {.count = 2}).rows.size(), 2u);
}

TEST_F(SelectorErrors, BatchesThatPassTheBudgetOfBytesAndThreadsThatNeedNot) {
  const SelectorScene wide(2000, 8);
  SelectorOptions options = wide.options();
  options.backend.memory_bytes = std::size_t{8} << 20;
  Selector selector = wide.ready(options);
  expect_error<OutOfMemory>([&] { suggest(selector, {.count = 1500}); }, {"1500 rows suggested or running"});
  EXPECT_EQ(suggest(selector, {.count = 2}).rows.size(), 2u);
  options.backend.threads = 256;
  Selector crowded = wide.ready(options), roomy = wide.ready(wide.options());
  EXPECT_EQ(suggest(crowded, {.count = 2}).rows, suggest(roomy, {.count = 2}).rows);
}

TEST_F(SelectorErrors, MoreRowsThanThereAreAddresses) {
  const std::int64_t row = 0;
  expect_refused(Reason::shape, {"rows", "address space"},
                 [&] { selector_.withdraw(host_indices(&row, std::size_t{1} << 61)); });
}

TEST_F(SelectorErrors, RowsThatThePoolDoesNotHave) {
  for (const std::int64_t row : {std::int64_t{-1}, std::int64_t{60}, std::numeric_limits<std::int64_t>::min()}) {
    const std::int64_t rows[] = {3, row};
    const double values[] = {1, 2};
    append_refused(
        Reason::out_of_range, {"rows", "entry 1 is " + std::to_string(row), "60 rows"},
        {.rows = host_indices(rows, 2), .objectives = host_values(values, 2), .costs = host_values(values, 2)});
    expect_refused(Reason::out_of_range, {"rows", "60 rows"}, [&] { selector_.withdraw(host_indices(&row, 1)); });
  }
}

}  // namespace
}  // namespace carbo
