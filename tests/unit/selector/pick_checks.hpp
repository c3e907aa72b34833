#pragma once

#include <gtest/gtest.h>

#include "support/selector_scene.hpp"

/// What holds of the picks of a selector under any acquisition.
namespace carbo::test {

/// `expected`: the score of every row, by plain loops.
inline void expect_scores_and_their_best(const SelectorScene& scene, const SelectorOptions& options,
                                         const PickRequest& request, const std::vector<double>& expected,
                                         double tolerance = score_tolerance) {
  Selector selector = scene.ready(options);
  const std::vector<double> scores = dense_scores(selector, request);
  expect_same_scores(scores, expected, tolerance);
  const Picked picked = suggest(selector, request);
  ASSERT_EQ(picked.rows.size(), 1u);
  EXPECT_EQ(picked.rows[0], best_of(expected));
  EXPECT_EQ(picked.scores[0], scores[static_cast<std::size_t>(picked.rows[0])]);
}

/// A batch is one pick after another, each the best of all scores.
inline void expect_a_batch_in_turn(const SelectorScene& scene, const SelectorOptions& options, PickRequest request) {
  Selector at_once = scene.ready(options), in_turn = scene.ready(options);
  const std::size_t count = request.count;
  const Picked batch = suggest(at_once, request);
  ASSERT_EQ(batch.rows.size(), count);
  EXPECT_EQ(at_once.running(), count);
  EXPECT_EQ(at_once.available(), scene.pool.size() - count);
  request.count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> scores = dense_scores(in_turn, request);
    EXPECT_EQ(batch.rows[i], best_of(scores)) << i;
    const Picked one = suggest(in_turn, request);
    EXPECT_EQ(one.rows.at(0), batch.rows[i]) << i;
    EXPECT_EQ(one.scores.at(0), batch.scores[i]) << i;
  }
}

}  // namespace carbo::test
