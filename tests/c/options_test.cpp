#include <cstddef>
#include <limits>

#include "c/scene.hpp"
#include "support/environment.hpp"
#include "support/not_finite.hpp"

// What is refused of structs that are no arrays.
namespace {

using namespace c_scene;

using carbo::test::infinity;
using carbo::test::not_a_number;

/// Creates with options that were changed, and wants them refused.
template <class Change>
void expect_refused(carbo_status status, const std::string& part, const Change& change) {
  carbo_selector_options options = some_options(3);
  change(options);
  carbo_selector* selector = reinterpret_cast<carbo_selector*>(&options);
  expect_failure(carbo_selector_create(&options, &selector), status, {"carbo_selector_create", part});
  EXPECT_EQ(selector, nullptr);
}
template <class Change>
void expect_invalid(const std::string& part, const Change& change) {
  expect_refused(CARBO_INVALID_OPTIONS, part, change);
}

TEST(COptions, DefaultsMakeASelectorOnceThereAreColumns) {
  carbo_selector_options options;
  ASSERT_EQ(carbo_selector_options_init(&options, sizeof options), CARBO_OK);
  carbo_selector* selector = nullptr;
  expect_failure(carbo_selector_create(&options, &selector), CARBO_INVALID_OPTIONS, {"columns is 0"});
  options.columns = 2;
  EXPECT_EQ(carbo_selector_create(&options, &selector), CARBO_OK) << thread_message();
  EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
}

TEST(COptions, NullIsRefused) {
  carbo_selector* selector = nullptr;
  const carbo_selector_options options = some_options(3);
  expect_failure(carbo_selector_create(nullptr, &selector), CARBO_NULL_POINTER, {"options"});
  expect_failure(carbo_selector_create(&options, nullptr), CARBO_NULL_POINTER, {"selector"});
  expect_failure(carbo_selector_options_init(nullptr, sizeof options), CARBO_NULL_POINTER, {"options"});
  expect_failure(carbo_pick_request_init(nullptr, sizeof(carbo_pick_request)), CARBO_NULL_POINTER, {"request"});
  expect_failure(carbo_cooling_exponent(1, 0, 0, nullptr), CARBO_NULL_POINTER, {"alpha"});
}

TEST(COptions, UnknownEnumeratorsAreRefusedByName) {
  for (const std::int32_t unknown : {-1, 100, std::numeric_limits<std::int32_t>::min()}) {
    expect_invalid("goal is", [&](auto& options) { options.goal = unknown; });
    expect_invalid("transform is", [&](auto& options) { options.transform = unknown; });
    expect_invalid("incumbent is", [&](auto& options) { options.incumbent = unknown; });
    expect_invalid("cost_model is", [&](auto& options) { options.cost_model = unknown; });
    expect_invalid("cost_weight is", [&](auto& options) { options.cost_weight = unknown; });
    expect_invalid("fantasy_mode is", [&](auto& options) { options.fantasy_mode = unknown; });
    expect_invalid("backend is", [&](auto& options) { options.backend = unknown; });
    expect_invalid("allow_repeats is", [&](auto& options) { options.allow_repeats = unknown; });
    expect_invalid("cost_robust is", [&](auto& options) { options.cost_robust = unknown; });
    expect_invalid("use_stream is", [&](auto& options) { options.use_stream = unknown; });
  }
}

TEST(COptions, NumbersOutsideTheirRangesAreRefusedByName) {
  for (const double wrong : {not_a_number, infinity, -1.0}) {
    expect_invalid("noise_floor", [&](auto& options) { options.noise_floor = wrong; });
    expect_invalid("noise_floor", [&](auto& options) { options.cost_noise_floor = wrong; });
  }
  for (const std::int64_t wrong : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    expect_invalid("columns is", [&](auto& options) { options.columns = wrong; });
    expect_invalid("restarts is", [&](auto& options) { options.restarts = wrong; });
    expect_invalid("cost_restarts is", [&](auto& options) { options.cost_restarts = wrong; });
    expect_invalid("max_points is", [&](auto& options) { options.max_points = wrong; });
    expect_invalid("cost_max_points is", [&](auto& options) { options.cost_max_points = wrong; });
    expect_invalid("fantasies is", [&](auto& options) { options.fantasies = wrong; });
    expect_invalid("threads is", [&](auto& options) { options.threads = wrong; });
    expect_invalid("memory_bytes is", [&](auto& options) { options.memory_bytes = wrong; });
    expect_invalid("cost_feature_count is", [&](auto& options) { options.cost_feature_count = wrong; });
  }
  expect_invalid("columns is 101", [](auto& options) { options.columns = 101; });
  expect_invalid("device is -2", [](auto& options) { options.device = -2; });
  expect_invalid("fantasies", [](auto& options) { options.fantasies = 0; });
  expect_invalid("restarts", [](auto& options) { options.restarts = 0; });
  expect_invalid("max_points is 63", [](auto& options) { options.max_points = 63; });
  expect_invalid("cost_max_points is 0", [](auto& options) { options.cost_max_points = 0; });
  expect_invalid("fantasies is 4611686018427387904",
                 [](auto& options) { options.fantasies = std::int64_t{1} << 62; });
  expect_invalid("threads is 4611686018427387904", [](auto& options) { options.threads = std::int64_t{1} << 62; });
}

TEST(COptions, CostFeaturesAreExpressionsOfTheColumns) {
  const char* const right[] = {"x0 * x1", "1 + x2^2"};
  const char* const unknown[] = {"x0", "x7"};
  const char* const missing[] = {"x0", nullptr};
  const std::int32_t work[] = {1, 0}, odd[] = {1, 2};
  const auto give = [](auto& options, const char* const* features, const std::int32_t* flags) {
    options.cost_model = CARBO_COST_LINEAR;
    options.cost_features = features;
    options.cost_feature_is_work = flags;
    options.cost_feature_count = 2;
  };
  carbo_selector_options options = some_options(3);
  give(options, right, work);
  Scene scene(options, 12);
  carbo_fit_report report{};
  report.struct_size = sizeof report;
  ASSERT_EQ(carbo_selector_fit(scene.selector, &report), CARBO_OK) << thread_message();
  EXPECT_EQ(report.cost_model, CARBO_COST_LINEAR);
  EXPECT_EQ(scene.suggest(3).size(), 3u);
  expect_invalid("x7", [&](auto& changed) { give(changed, unknown, nullptr); });
  expect_invalid("cost_feature_is_work[1] is 2", [&](auto& changed) { give(changed, right, odd); });
  expect_refused(CARBO_NULL_POINTER, "cost_features[1]", [&](auto& changed) { give(changed, missing, work); });
  expect_refused(CARBO_NULL_POINTER, "cost_features", [&](auto& changed) { give(changed, nullptr, work); });
}

TEST(COptions, AKnownCostIsAnExpressionToo) {
  carbo_selector_options options = some_options(3);
  options.cost_model = CARBO_COST_KNOWN;
  options.known_cost = "1 + 5 * x0";
  Scene scene(options, 12);
  carbo_fit_report report{};
  report.struct_size = sizeof report;
  ASSERT_EQ(carbo_selector_fit(scene.selector, &report), CARBO_OK) << thread_message();
  EXPECT_EQ(report.cost_model, CARBO_COST_KNOWN);
  expect_invalid("x9", [](auto& changed) {
    changed.cost_model = CARBO_COST_KNOWN;
    changed.known_cost = "x9";
  });
  expect_invalid("x8", [](auto& changed) { changed.known_cost_part = "x8"; });
}

TEST(COptions, HalfAnAllocatorAndAStreamThatIsNotUsedAreRefused) {
  expect_invalid("allocate and release", [](auto& options) {
    options.allocate = [](void*, std::uint64_t, void*) -> void* { return nullptr; };
  });
  expect_invalid("allocate and release",
                 [](auto& options) { options.release = [](void*, void*, std::uint64_t, void*) {}; });
  expect_invalid("use_stream", [](auto& options) { options.stream = &options; });
}

TEST(COptions, WithoutADeviceTheReasonIsTold) {
  const carbo::EnvironmentVariable off("CARBO_CUDA_LIBRARY", "");
  expect_refused(CARBO_UNAVAILABLE, "CARBO_CUDA_LIBRARY",
                 [](auto& options) { options.backend = CARBO_BACKEND_CUDA; });
  const bool told = thread_message().find("built without") != std::string::npos;
  EXPECT_EQ(told, std::string(carbo_cuda_build()).starts_with("not built")) << thread_message();
  expect_refused(CARBO_UNAVAILABLE, "stream", [](auto& options) { options.use_stream = 1; });
}

// Programs that were compiled with this header count on these places, where pointers have 8 bytes.
static_assert(sizeof(carbo_selector_options) == 208 && offsetof(carbo_selector_options, columns) == 8 &&
              offsetof(carbo_selector_options, cost_features) == 80 &&
              offsetof(carbo_selector_options, stream) == 160 && offsetof(carbo_selector_options, max_points) == 192);
static_assert(sizeof(carbo_matrix) == 48 && offsetof(carbo_matrix, data) == 16);
static_assert(sizeof(carbo_vector) == 32 && offsetof(carbo_vector, data) == 16);
static_assert(sizeof(carbo_vector_room) == 32 && offsetof(carbo_vector_room, data) == 16);
static_assert(sizeof(carbo_indices) == 24 && offsetof(carbo_indices, data) == 8);
static_assert(sizeof(carbo_index_room) == 24 && offsetof(carbo_index_room, data) == 8);
static_assert(sizeof(carbo_pick_request) == 64 && offsetof(carbo_pick_request, cost_limit) == 24 &&
              offsetof(carbo_pick_request, acquisition) == 32 && offsetof(carbo_pick_request, lambda) == 40);
static_assert(sizeof(carbo_fit_report) == 112 && offsetof(carbo_fit_report, seconds) == 64);
static_assert(sizeof(carbo_selector_info) == 40 && offsetof(carbo_selector_info, observations) == 32);

TEST(CStructs, AnotherSizeIsAnotherVersion) {
  Scene scene;
  std::vector<std::int64_t> rows(1);
  std::vector<double> values(60);
  std::int64_t written = 0;
  carbo_selector_options options = some_options(3);
  carbo_selector* selector = nullptr;
  carbo_matrix matrix = scene.pool();
  carbo_vector vector = host(values);
  carbo_indices indices = host(rows);
  carbo_index_room index_room = room(rows);
  carbo_vector_room vector_room = room(values);
  carbo_pick_request request = picks(1);
  carbo_fit_report report{};
  carbo_selector_info info{};
  const auto each_wrong_size = [](auto& given, const std::string& name, const auto& call) {
    for (const std::size_t wrong : {std::size_t{0}, sizeof given - 8, sizeof given + 8}) {
      given.struct_size = static_cast<std::uint32_t>(wrong);
      expect_failure(call(), CARBO_STRUCT_VERSION, {name + ".struct_size is"});
    }
    given.struct_size = sizeof given;
  };
  each_wrong_size(options, "options", [&] { return carbo_selector_create(&options, &selector); });
  each_wrong_size(matrix, "rows", [&] { return carbo_selector_set_pool(scene.selector, &matrix, nullptr); });
  each_wrong_size(vector, "costs", [&] { return carbo_selector_set_pool(scene.selector, &matrix, &vector); });
  each_wrong_size(indices, "rows", [&] { return carbo_selector_withdraw(scene.selector, &indices); });
  each_wrong_size(request, "request",
                  [&] { return carbo_selector_design(scene.selector, &request, &index_room, &written); });
  each_wrong_size(index_room, "rows",
                  [&] { return carbo_selector_design(scene.selector, &request, &index_room, &written); });
  each_wrong_size(vector_room, "scores",
                  [&] { return carbo_selector_scores(scene.selector, &request, &vector_room); });
  each_wrong_size(report, "report", [&] { return carbo_selector_fit(scene.selector, &report); });
  each_wrong_size(info, "info", [&] { return carbo_selector_get_info(scene.selector, &info); });
  EXPECT_EQ(scene.info().running, 0);
}

TEST(CStructs, AnInitFunctionWritesNothingIntoAStructOfAnotherSize) {
  carbo_selector_options options{};
  options.columns = 77;
  expect_failure(carbo_selector_options_init(&options, sizeof options + 16), CARBO_STRUCT_VERSION);
  expect_failure(carbo_selector_options_init(&options, std::uint64_t{1} << 40), CARBO_STRUCT_VERSION);
  EXPECT_EQ(options.columns, 77);
  carbo_pick_request request{};
  request.count = 77;
  expect_failure(carbo_pick_request_init(&request, sizeof request - 8), CARBO_STRUCT_VERSION);
  EXPECT_EQ(request.count, 77);
}

TEST(CStructs, AFitReportWithTooLittleRoomIsRefusedBeforeTheFit) {
  Scene scene;
  double lengthscales[3] = {-1, -1, -1};
  carbo_fit_report report{};
  report.struct_size = sizeof report;
  report.lengthscales = lengthscales;
  report.lengthscale_room = 2;
  expect_failure(carbo_selector_fit(scene.selector, &report), CARBO_SHAPE, {"lengthscale_room is 2", "3"});
  EXPECT_EQ(lengthscales[0], -1);
  report.lengthscale_room = 3;
  EXPECT_EQ(carbo_selector_fit(scene.selector, &report), CARBO_OK);
  for (const double lengthscale : lengthscales) EXPECT_GT(lengthscale, 0);
}

TEST(CCooling, FallsWithTheBudgetAndRefusesWhatIsNoNumber) {
  double alpha = -1;
  EXPECT_EQ(carbo_cooling_exponent(100, 20, 20, &alpha), CARBO_OK);
  EXPECT_EQ(alpha, 1);
  EXPECT_EQ(carbo_cooling_exponent(100, 60, 20, &alpha), CARBO_OK);
  EXPECT_EQ(alpha, 0.5);
  EXPECT_EQ(carbo_cooling_exponent(100, 130, 20, &alpha), CARBO_OK);
  EXPECT_EQ(alpha, 0);
  EXPECT_EQ(carbo_cooling_exponent(100, 130, 120, &alpha), CARBO_OK);
  EXPECT_EQ(alpha, 0);
  alpha = 42;
  for (const double wrong : {not_a_number, infinity}) {
    expect_failure(carbo_cooling_exponent(wrong, 60, 20, &alpha), CARBO_INVALID_OPTIONS, {"budget"});
    expect_failure(carbo_cooling_exponent(100, wrong, 20, &alpha), CARBO_INVALID_OPTIONS, {"spent"});
    expect_failure(carbo_cooling_exponent(100, 60, wrong, &alpha), CARBO_INVALID_OPTIONS, {"spent_at_design_end"});
  }
  EXPECT_EQ(alpha, 42);
}

}  // namespace
