#include <gtest/gtest.h>

#include "support/sanitized.hpp"
#include "support/search_ceilings.hpp"

// Max-value entropy search has no bounds: its search is the dense pass, to the bit.
namespace {

using namespace search_cases;

TEST(MesSearch, RandomCasesGiveTheDensePicks) {
  for (const std::uint64_t seed : carbo::test::own_seeds(0, 120))
    expect_the_dense_picks(by_mes(make_case(seed, random_shape(seed))));
  for (const std::size_t n : {100, 300}) expect_the_dense_picks(by_mes(late_case({n, 2500, 4})));
}

TEST(MesSearch, AnyWeightOfALateCostGivesTheDensePicks) {
  for (const auto weight : {carbo::CostWeight::median, carbo::CostWeight::mean, carbo::CostWeight::moment}) {
    Case c = late_case({150, 900, 6}, 3);
    c.cost = Cost::modelled_late;
    c.weight = weight;
    expect_the_dense_picks(by_mes(c));
  }
}

TEST(MesSearch, EveryCandidateIsFinished) {
  const Case c = by_mes(late_case({300, 1500, 4}));
  Game game(c);
  game.bounded.top(game.asked(), 2, game.announced());
  EXPECT_EQ(game.bounded.search().work().finished, 1500u);
}

/// The best under another acquisition is found beside a pick, which it does not change.
TEST(MesSearch, APickBesideAnotherIsThatOfEach) {
  for (std::uint64_t seed = 0; seed < carbo::test::cases(20); ++seed) {
    const Case c = make_case(seed, random_shape(seed)), mes = by_mes(c);
    Game game(c), same(mes);
    const Asked by_ei = game.asked(), by_entropy = same.asked();
    SearchRequest request;
    request.incumbents = by_ei.incumbents;
    request.acquisition = by_entropy.acquisition;
    request.log_cost_limit = by_ei.log_cost_limit;
    Scored beside;
    const std::vector<Scored> best = game.bounded.search().top_with(request, 2, by_ei.acquisition, beside);
    const std::vector<Scored> expected = same.bounded.search().top(request, 2);
    const std::vector<Scored> expected_beside = same.bounded.search().top(request.under(by_ei.acquisition), 1);
    ASSERT_EQ(best.size(), expected.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      EXPECT_EQ(best[i].index, expected[i].index);
      EXPECT_EQ(best[i].score, expected[i].score);
    }
    ASSERT_EQ(beside.index == Scored::none, expected_beside.empty());
    if (expected_beside.empty()) continue;
    EXPECT_EQ(beside.index, expected_beside[0].index);
    EXPECT_EQ(beside.score, expected_beside[0].score);
  }
}

}  // namespace
