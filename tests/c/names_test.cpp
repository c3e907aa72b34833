#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c/scene.hpp"

// Messages speak of what carbo.h has, not of the C++ behind it.
namespace {

using namespace c_scene;

/// The failure's message has every part, and no name that a C program cannot know.
void expect_words(carbo_status status, const std::vector<std::string>& parts) {
  const std::string message = thread_message();
  EXPECT_NE(status, CARBO_OK);
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
  for (const char* const foreign : {"::", "cost.", "surrogate.", "backend.", "fantasies.", "pool.", "observations.",
                                    "observations:", "output", "candidates.", "transform =", " set_pool"}) {
    EXPECT_EQ(message.find(foreign), std::string::npos) << "'" << foreign << "' in: " << message;
  }
}

template <class Change>
void expect_options(const std::vector<std::string>& parts, const Change& change) {
  carbo_selector_options options = some_options(3);
  change(options);
  carbo_selector* selector = nullptr;
  expect_words(carbo_selector_create(&options, &selector), parts);
}

TEST(CNames, Options) {
  const char* const wrong[] = {"x0 * cost.known + x7"};
  const auto features = [&](auto& o, carbo_cost_model model) {
    o.cost_model = model;
    o.cost_features = wrong;
    o.cost_feature_count = 1;
  };
  expect_options({": noise_floor is"}, [](auto& o) { o.noise_floor = -1; });
  expect_options({": cost_noise_floor is"}, [](auto& o) { o.cost_noise_floor = 2; });
  expect_options({": restarts is 0"}, [](auto& o) { o.restarts = 0; });
  expect_options({": cost_restarts is 0"}, [](auto& o) { o.cost_restarts = 0; });
  expect_options({": fantasies is 0"}, [](auto& o) { o.fantasies = 0; });
  expect_options({": threads is 99999"}, [](auto& o) { o.threads = 99999; });
  expect_options({": device is -2"}, [](auto& o) { o.device = -2; });
  expect_options({"cost_model is CARBO_COST_LINEAR,", "cost_features is empty", "cost_feature_count"},
                 [](auto& o) { o.cost_model = CARBO_COST_LINEAR; });
  expect_options({"cost_model is CARBO_COST_LINEAR_MEAN_GP,"}, [](auto& o) { o.cost_model = 3; });
  expect_options({"cost_model is CARBO_COST_KNOWN,", "known_cost is not given"},
                 [](auto& o) { o.cost_model = CARBO_COST_KNOWN; });
  expect_options({"known_cost is given", "CARBO_COST_LOG_GP", "known_cost_part", "CARBO_COST_AUTOMATIC"},
                 [](auto& o) {
                   o.cost_model = CARBO_COST_LOG_GP;
                   o.known_cost = "1";
                 });
  expect_options({"known_cost and known_cost_part are both"}, [](auto& o) {
    o.cost_model = CARBO_COST_AUTOMATIC;
    o.known_cost = o.known_cost_part = "1";
  });
  expect_options({"CARBO_BACKEND_CPU or CARBO_BACKEND_AUTOMATIC"}, [](auto& o) { o.backend = CARBO_BACKEND_CUDA; });
  expect_options({"CARBO_BACKEND_CUDA"}, [](auto& o) { o.use_stream = 1; });
  carbo_selector_options options = some_options(3);
  features(options, CARBO_COST_LINEAR);
  carbo_selector* selector = nullptr;
  carbo_selector_create(&options, &selector);
  EXPECT_NE(thread_message().find("cost_features[0]"), std::string::npos) << thread_message();
  EXPECT_NE(thread_message().find("x0 * cost.known + x7"), std::string::npos) << "the caller's own text stays";
}

TEST(CNames, Arrays) {
  Scene scene;
  std::vector<double> few(2), bad(60, 1.0), good(60, 1.0);
  std::vector<std::int64_t> one(1);
  bad[3] = -1;
  const carbo_vector short_costs = host(few), bad_costs = host(bad);
  const carbo_matrix pool = scene.pool();
  expect_words(carbo_selector_set_pool(scene.selector, &pool, &short_costs), {": costs: there are 2"});
  expect_words(carbo_selector_set_pool(scene.selector, &pool, &bad_costs), {": costs: row 3"});
  std::vector<double> outside = scene.problem.pool;
  outside[0] = 1.5;
  const carbo_matrix wrong = carbo_matrix_of(outside.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, 60, 3);
  expect_words(carbo_selector_set_pool(scene.selector, &wrong, nullptr), {": rows"});
  const carbo_vector objectives = host(good), costs = host(bad);
  expect_words(carbo_selector_append_points(scene.selector, &wrong, &objectives, &objectives), {": points"});
  expect_words(carbo_selector_append_points(scene.selector, &pool, &objectives, nullptr), {": there are 0 costs"});
  expect_words(carbo_selector_append_points(scene.selector, &pool, &objectives, &costs), {": costs: value 3"});
  std::vector<double> infinite(60, std::numeric_limits<double>::infinity());
  const carbo_vector endless = host(infinite);
  expect_words(carbo_selector_append_points(scene.selector, &pool, &endless, &objectives), {": objectives: value 0"});
  const carbo_vector_room small = room(few);
  const carbo_pick_request request = picks(1);
  expect_words(carbo_selector_scores(scene.selector, &request, &small), {": scores: there is room for 2"});
  const carbo_pick_request many = picks(3);
  const carbo_index_room little = room(one);
  std::int64_t written = 0;
  expect_words(carbo_selector_suggest(scene.selector, &many, &little, nullptr, &written), {": rows: there is room"});
}

TEST(CNames, Calls) {
  carbo_selector_options options = some_options(3);
  options.transform = CARBO_TRANSFORM_LOG;
  carbo_selector* selector = nullptr;
  ASSERT_EQ(carbo_selector_create(&options, &selector), CARBO_OK);
  std::vector<std::int64_t> rows(1);
  const carbo_pick_request request = picks(1);
  const carbo_index_room output = room(rows);
  std::int64_t written = 0;
  expect_words(carbo_selector_suggest(selector, &request, &output, nullptr, &written), {"carbo_selector_set_pool"});
  const Problem problem;
  const carbo_matrix pool = carbo_matrix_of(problem.pool.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, 60, 3);
  ASSERT_EQ(carbo_selector_set_pool(selector, &pool, nullptr), CARBO_OK);
  expect_words(carbo_selector_suggest(selector, &request, &output, nullptr, &written),
               {"carbo_selector_append_rows or carbo_selector_append_points"});
  const std::vector<double> negative{-1.0}, price{1.0};
  const carbo_vector objectives = host(negative), costs = host(price);
  const carbo_indices first = host(rows);
  expect_words(carbo_selector_append_rows(selector, &first, &objectives, &costs),
               {"objectives: value 0", "CARBO_TRANSFORM_LOG needs", "CARBO_TRANSFORM_RANK"});
  EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
  options.memory_bytes = 1000;
  carbo_selector* tiny = nullptr;
  if (carbo_selector_create(&options, &tiny) == CARBO_OK) {
    expect_words(carbo_selector_set_pool(tiny, &pool, nullptr), {"raise memory_bytes"});
    carbo_selector_destroy(tiny);
  } else {
    expect_words(CARBO_INVALID_OPTIONS, {"memory_bytes"});
  }
}

}  // namespace
