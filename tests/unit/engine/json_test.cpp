#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/not_finite.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;

Configuration some(const Space& space) {
  return space.configuration({{"rate", 0.1 + 0.2},
                              {"layers", std::int64_t{-3}},
                              {"optimizer", std::string("adam")},
                              {"size", std::string("large")},
                              {"dropout", 0.1},
                              {"width", std::int64_t{1024}},
                              {"shift", -1.0 / 3.0}});
}

TEST(Json, AConfigurationByNamesAndLabels) {
  const Space space = mixed_space();
  const std::string json = to_json(some(space));
  EXPECT_EQ(json,
            R"({"rate": 0.30000000000000004, "layers": -3, "optimizer": "adam", "size": "large", "dropout": 0.1, )"
            R"("width": 1024, "shift": -0.3333333333333333})");
  EXPECT_EQ(configuration_from_json(space, json), some(space));
  EXPECT_EQ(to_json(Configuration()), "{}");
}

TEST(Json, AConfigurationThatDoesNotBelong) {
  const Space space{real("x", 0.0, 1.0), categorical("colour", {"red", "NaN"})};
  EXPECT_EQ(configuration_from_json(space, R"({"colour": "NaN", "x": 1})").category("colour"), "NaN");
  const auto refused = [&](const char* json, const char* part) {
    expect_error<InvalidConfiguration>([&] { configuration_from_json(space, json); }, {part});
  };
  refused(R"({"x": 2, "colour": "red"})", "parameter 'x'");
  refused(R"({"x": "NaN", "colour": "red"})", "parameter 'x'");
  refused(R"({"x": 0.5})", "parameter 'colour' has no value");
  refused(R"({"x": 0.5, "colour": "blue"})", "there is no 'blue'");
  refused(R"({"x": 0.5, "colour": 1})", "takes a name");
  refused(R"({"x": 0.5, "colour": "red", "y": 1})", "no parameter 'y'");
  expect_error<InvalidState>([&] { configuration_from_json(space, R"({"x": "a", "colour": "red"})"); }, {"/x"});
  expect_error<InvalidState>([&] { configuration_from_json(space, R"({"x": 0.5, )"); }, {"line 1"});
  expect_error<InvalidState>([&] { configuration_from_json(space, "[]"); }, {"expected an object"});
}

void expect_same(const Observation& a, const Observation& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_TRUE(a.objective == b.objective || (std::isnan(a.objective) && std::isnan(b.objective)));
  EXPECT_TRUE(a.cost == b.cost || (std::isnan(a.cost) && std::isnan(b.cost)));
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.batch, b.batch);
  EXPECT_EQ(a.slot, b.slot);
}

TEST(Json, ObservationsBothWays) {
  const Space space = mixed_space();
  Observation told{7, some(space), ObservationStatus::succeeded, Origin::this_run, 0.1, 2.5, "", 3, 1};
  EXPECT_EQ(to_json(told).substr(0, 8), "{\"id\": 7");
  EXPECT_EQ(to_json(told).find('\n'), std::string::npos);
  expect_same(observation_from_json(space, to_json(told)), told);
  Observation cut{std::nullopt, some(space), ObservationStatus::timed_out, Origin::prior,
                  not_a_number, 9.0,         "it \"hung\"\n\xff"};
  expect_same(observation_from_json(space, to_json(cut)), cut);
  Observation untold{std::nullopt, some(space), ObservationStatus::succeeded, Origin::prior, -0.0, not_a_number, ""};
  expect_same(observation_from_json(space, to_json(untold)), untold);
  EXPECT_TRUE(std::signbit(observation_from_json(space, to_json(untold)).objective));
  Observation infinite = told;
  infinite.objective = -infinity;
  infinite.cost = infinity;
  expect_same(observation_from_json(space, to_json(infinite)), infinite);
  expect_error<InvalidState>(
      [&] {
        observation_from_json(space, R"({"configuration": )" + to_json(some(space)) + R"(, "status": "done"})");
      },
      {"/status", "succeeded, failed, timed_out"});
  expect_error<InvalidState>(
      [&] {
        observation_from_json(
            space, R"({"configuration": )" + to_json(some(space)) + R"(, "status": "failed", "color": 1})");
      },
      {"/color"});
}

TEST(Json, SuggestionsWithTheirReceipts) {
  const Space space = valley_space();
  Options options = small_options(60);
  options.evaluation.timeout_factor = 3.0;
  Optimizer optimizer(space, options);
  std::size_t seen = 0;
  while (!optimizer.done()) {
    for (const Suggestion& suggestion : optimizer.ask(2)) {
      const std::string json = to_json(suggestion);
      const Suggestion back = suggestion_from_json(space, json);
      EXPECT_EQ(to_json(back), json);
      EXPECT_EQ(to_json(receipt_from_json(to_json(suggestion.receipt))), to_json(suggestion.receipt));
      EXPECT_EQ(back.id, suggestion.id);
      EXPECT_EQ(back.timeout, suggestion.timeout);
      EXPECT_EQ(back.receipt.phase, suggestion.receipt.phase);
      EXPECT_EQ(back.receipt.alpha, suggestion.receipt.alpha);
      EXPECT_EQ(back.receipt.log_score, suggestion.receipt.log_score);
      EXPECT_EQ(back.receipt.cost_model, suggestion.receipt.cost_model);
      EXPECT_EQ(back.receipt.cost_model_scores.size(), suggestion.receipt.cost_model_scores.size());
      EXPECT_EQ(back.receipt.seconds.pick, suggestion.receipt.seconds.pick);
      optimizer.tell(suggestion.id, valley(suggestion.configuration));
      ++seen;
    }
  }
  EXPECT_GT(seen, 10u);
}

TEST(Json, WhatCanBeMadeByDefaultBelongsToNoSpace) {
  const Observation observation;
  const Suggestion suggestion;
  EXPECT_TRUE(observation.configuration.parameters().empty());
  EXPECT_TRUE(suggestion.configuration.numbers().empty());
  EXPECT_EQ(observation.configuration, suggestion.configuration);
  EXPECT_EQ(observation.configuration.to_string(), "");
  EXPECT_THROW(observation.configuration.real("x"), InvalidConfiguration);
  Optimizer optimizer(valley_space(), small_options(60));
  EXPECT_THROW(optimizer.tell(observation), InvalidConfiguration);
  EXPECT_TRUE(optimizer.observations().empty());
}

}  // namespace
}  // namespace carbo
