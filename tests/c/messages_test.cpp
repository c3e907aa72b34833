#include <string>
#include <vector>

#include "c/scene.hpp"
#include "support/environment.hpp"

// Messages that once came out wrong: names of C++, a call named twice, advice that would be refused.
namespace {

using namespace c_scene;

void expect_message(carbo_status status, const std::string& expected) {
  EXPECT_NE(status, CARBO_OK);
  EXPECT_EQ(thread_message(), expected);
}

std::string refusal_of(const carbo_selector_options& options) {
  carbo_selector* selector = nullptr;
  EXPECT_EQ(carbo_selector_create(&options, &selector), CARBO_INVALID_OPTIONS);
  return thread_message();
}

std::string refusal_of_known_cost(const char* expression) {
  carbo_selector_options options = some_options(3);
  options.cost_model = CARBO_COST_KNOWN;
  options.known_cost = expression;
  return refusal_of(options);
}

TEST(CMessages, AQuoteInTheCallersTextNeitherOpensNorCloses) {
  const std::string of_one = refusal_of_known_cost("x0 \" cost.known");
  EXPECT_NE(of_one.find(R"(: known_cost, expression "x0 \" cost.known", column 4: character '"' has)"),
            std::string::npos)
      << of_one;
  const std::string of_backslash = refusal_of_known_cost("cost.known + \\");
  EXPECT_NE(of_backslash.find(R"(expression "cost.known + \\")"), std::string::npos) << of_backslash;
}

TEST(CMessages, WordsOfTheLibraryAfterACallersTextAreTranslated) {
  // One quote in a path, and no other: what follows is the library's.
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", "/nowhere/a\"b.so");
  carbo_selector_options options = some_options(3);
  options.backend = CARBO_BACKEND_CUDA;
  carbo_selector* selector = nullptr;
  EXPECT_EQ(carbo_selector_create(&options, &selector), CARBO_UNAVAILABLE);
  EXPECT_NE(thread_message().find("choose CARBO_BACKEND_CPU or CARBO_BACKEND_AUTOMATIC"), std::string::npos)
      << thread_message();
}

TEST(CMessages, TheReasonOfABackendHasNamesOfC) {
  const carbo::EnvironmentVariable library("CARBO_CUDA_LIBRARY", CARBO_PRETENDED_CUDA);
  carbo_selector_options options = some_options(3);
  options.backend = CARBO_BACKEND_AUTOMATIC;
  options.device = 4;
  carbo_selector* selector = nullptr;
  ASSERT_EQ(carbo_selector_create(&options, &selector), CARBO_OK) << thread_message();
  char reason[500] = "";
  std::int64_t length = 0;
  EXPECT_EQ(carbo_selector_backend_reason(selector, reason, sizeof reason, &length), CARBO_OK);
  EXPECT_NE(std::string(reason).find(": device is 4, but there are 0"), std::string::npos) << reason;
  EXPECT_EQ(static_cast<std::size_t>(length), std::string(reason).size());
  EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
}

TEST(CMessages, WhatIsAdvisedIsNotRefused) {
  carbo_selector_options options = some_options(3);
  options.fantasies = -1;
  EXPECT_EQ(refusal_of(options), "carbo_selector_create: fantasies is -1; give 1 or above");
  options.fantasies = 1;
  options.columns = -1;
  EXPECT_EQ(refusal_of(options), "carbo_selector_create: columns is -1; give 1 or above");
  options.columns = 1;
  options.restarts = -1;
  EXPECT_EQ(refusal_of(options), "carbo_selector_create: restarts is -1; give 1 or above");
  options.restarts = 1;
  options.cost_restarts = -1;
  EXPECT_EQ(refusal_of(options), "carbo_selector_create: cost_restarts is -1; give 1 or above");
  options.cost_restarts = 1;
  options.max_points = -1;
  EXPECT_EQ(refusal_of(options), "carbo_selector_create: max_points is -1; give 64 or above");
  options.max_points = 64;
  options.cost_max_points = -1;
  EXPECT_EQ(refusal_of(options), "carbo_selector_create: cost_max_points is -1; give 64 or above");
  options.cost_max_points = 64;
  carbo_selector* selector = nullptr;
  ASSERT_EQ(carbo_selector_create(&options, &selector), CARBO_OK) << thread_message();
  EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
}

TEST(CMessages, ACallIsNamedOnce) {
  const carbo_selector_options options = some_options(3);
  carbo_selector* selector = nullptr;
  ASSERT_EQ(carbo_selector_create(&options, &selector), CARBO_OK);
  const Problem problem;
  const carbo_matrix pool = carbo_matrix_of(problem.pool.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, 60, 3);
  ASSERT_EQ(carbo_selector_set_pool(selector, &pool, nullptr), CARBO_OK);
  const std::string missing =
      ": nothing was observed; append at least one first, with carbo_selector_append_rows or "
      "carbo_selector_append_points";
  expect_message(carbo_selector_fit(selector, nullptr), "carbo_selector_fit" + missing);
  std::vector<std::int64_t> rows{5};
  std::vector<double> scores(60);
  std::int64_t written = 0;
  const carbo_pick_request request = picks(1);
  const carbo_index_room output = room(rows);
  const carbo_vector_room all = room(scores);
  expect_message(carbo_selector_suggest(selector, &request, &output, nullptr, &written),
                 "carbo_selector_suggest" + missing);
  expect_message(carbo_selector_design(selector, &request, &output, &written), "carbo_selector_design" + missing);
  expect_message(carbo_selector_scores(selector, &request, &all), "carbo_selector_scores" + missing);
  const carbo_indices five = host(rows);
  expect_message(carbo_selector_withdraw(selector, &five),
                 "carbo_selector_withdraw: row 5 is not running; it was not suggested, or was appended");
  EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
}

}  // namespace
