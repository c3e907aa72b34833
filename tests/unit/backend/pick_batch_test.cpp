#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/search_backend.hpp"

namespace carbo::internal {
namespace {

/// Candidates that score what they are told to, whatever is fantasised; notes what is asked of it.
class ScriptedSearch final : public Search {
 public:
  explicit ScriptedSearch(std::vector<double> scores) : scores_(std::move(scores)) {}

  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override {
    calls += "f" + std::to_string(static_cast<int>(point[0]));
    last_normals.assign(normals.begin(), normals.end());
    // Lower with every point in the first fantasy, higher in the second.
    ++fantasised_;
    return {-1.0 * fantasised_, 10.0 * fantasised_};
  }
  std::vector<Scored> top(const SearchRequest& request, std::size_t count) override {
    calls += "t" + std::to_string(request.normals_ahead.size() / 2);
    incumbents.emplace_back(request.incumbents.begin(), request.incumbents.end());
    limits.push_back(request.log_cost_limit);
    parameters.push_back(request.acquisition.parameter);
    rounds.push_back(request.acquisition.round_log_cost);
    waiting.push_back(request.acquisition.waiting);
    ++work_.finished;
    work_.refreshed += 2;
    std::vector<Scored> best;
    for (std::size_t i = 0; i < scores_.size() && best.size() < count; ++i)
      if (taken.count(i) == 0 && scores_[i] <= request.log_cost_limit) best.push_back({i, scores_[i]});
    return best;
  }
  double log_cost(std::size_t best) const override { return log_costs.at(best); }
  std::uint64_t available() const override { return scores_.size() - taken.size(); }
  SearchWork work() const override { return work_; }

  std::string calls;
  std::set<std::size_t> taken;
  std::vector<std::vector<double>> incumbents;
  std::vector<double> limits, parameters, last_normals;
  std::vector<double> log_costs{}, rounds{}, waiting{};

 private:
  std::vector<double> scores_;
  SearchWork work_;
  int fantasised_ = 0;
};

struct Batch {
  explicit Batch(std::vector<double> scores, std::size_t count) : search(std::move(scores)) {
    request.count = count;
    request.incumbents = &incumbents;
    request.acquisition.parameter = 0.25;
    request.normals = [](std::size_t pick) { return std::vector<double>{double(pick), double(pick) + 0.5}; };
    request.take = [this](const PickedRow& row) -> std::span<const double> {
      picked.push_back(row);
      search.taken.insert(row.best.index);
      search.calls += "x";
      point = {double(row.best.index)};
      return point;
    };
  }

  ScriptedSearch search;
  Incumbents incumbents{{-1.5}};
  BatchRequest request;
  std::vector<PickedRow> picked;
  std::vector<double> point;
};

TEST(PickBatch, EveryPickIsTakenThenFantasisedButTheLast) {
  Batch batch({6, 5, 4, 3, 2, 1, 0, -1}, 7);
  EXPECT_EQ(batch.search.pick(batch.request), BatchEnd::complete);
  // Bounds are taken as far ahead as points will be fantasised, four at most.
  EXPECT_EQ(batch.search.calls, "t4xf0t4xf1t4xf2t3xf3t2xf4t1xf5t0x");
  ASSERT_EQ(batch.picked.size(), 7u);
  for (std::size_t k = 0; k < 7; ++k) {
    const PickedRow& picked = batch.picked[k];
    EXPECT_EQ(picked.best.index, k);
    EXPECT_EQ(picked.best.score, 6.0 - double(k));
    EXPECT_EQ(picked.runner_up_score, 5.0 - double(k));
    EXPECT_EQ(picked.available, 8 - k) << "this one included";
    EXPECT_EQ(picked.finished, 1u) << "of this pick alone";
    EXPECT_EQ(picked.refreshed, 2u);
    EXPECT_EQ(batch.search.parameters[k], 0.25);
  }
  EXPECT_EQ(batch.search.last_normals, (std::vector<double>{5.0, 5.5})) << "of the sixth pick";
}

TEST(PickBatch, ImprovementIsMeasuredFromTheLowestOfEveryFantasy) {
  Batch batch({3, 2, 1, 0}, 4);
  batch.search.pick(batch.request);
  const std::vector<std::vector<double>> expected{{-1.5}, {-1.5, -1.5}, {-2.0, -1.5}, {-3.0, -1.5}};
  EXPECT_EQ(batch.search.incumbents, expected);
  EXPECT_EQ(batch.picked[0].incumbent, -1.5);
  EXPECT_EQ(batch.picked[3].incumbent, -2.25) << "mean over fantasies";
}

TEST(PickBatch, ALimitIsOneOfAllOrAskedOnceAPick) {
  Batch constant({3, 2, 1, 0}, 2);
  constant.request.limit.log_cost = 1.0;
  EXPECT_EQ(constant.search.pick(constant.request), BatchEnd::complete);
  EXPECT_EQ(constant.picked[0].best.index, 2u);
  EXPECT_EQ(constant.search.limits, (std::vector<double>{1.0, 1.0}));

  Batch falling({3, 2, 1, 0}, 3);
  falling.request.limit.of_next = [&] { return 2.0 - 3.0 * double(falling.picked.size()); };
  EXPECT_EQ(falling.search.pick(falling.request), BatchEnd::refused);
  EXPECT_EQ(falling.search.limits, (std::vector<double>{2.0, -1.0}));
  EXPECT_EQ(falling.picked.size(), 1u);
}

TEST(PickBatch, ARoundLastsAsLongAsTheLongestOfThoseThatJoinIt) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  Batch alone({4, 3, 2}, 3);
  alone.search.pick(alone.request);
  EXPECT_EQ(alone.search.rounds, (std::vector<double>{none, none, none}));

  Batch joined({6, 5, 4, 3, 2, 1}, 5);
  joined.search.log_costs = {0.5, 2.0, 1.0, 3.0, 0.0, 0.0};
  joined.request.together = 4;
  joined.search.pick(joined.request);
  EXPECT_EQ(joined.search.rounds, (std::vector<double>{none, 0.5, 2.0, 2.0, none}));
  EXPECT_EQ((std::vector<double>(joined.search.waiting.begin(), joined.search.waiting.begin() + 4)),
            (std::vector<double>{0, 1, 2, 3}));

  Batch begun({6, 5, 4}, 2);
  begun.search.log_costs = {0.5, 2.0, 1.0};
  begun.request.together = 2;
  begun.request.acquisition.round_log_cost = 1.0;
  begun.request.acquisition.waiting = 3;
  begun.search.pick(begun.request);
  EXPECT_EQ(begun.search.rounds, (std::vector<double>{1.0, 1.0}));
  EXPECT_EQ(begun.search.waiting, (std::vector<double>{3, 4}));
}

TEST(PickBatch, EndsWhereNothingIsLeft) {
  Batch batch({3, 2}, 5);
  batch.request.with_runner_up = false;
  EXPECT_EQ(batch.search.pick(batch.request), BatchEnd::exhausted);
  EXPECT_EQ(batch.search.calls, "t4xf0t3xf1");
  EXPECT_EQ(batch.picked.size(), 2u);
  EXPECT_FALSE(batch.picked[0].runner_up_score);
}

}  // namespace
}  // namespace carbo::internal
