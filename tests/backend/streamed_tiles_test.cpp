#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/noting_backend.hpp"
#include "support/streaming_scene.hpp"

namespace carbo::internal {
namespace {

using test::box;
using test::NotingBackend;

constexpr std::size_t rows = 2000;

CandidateOptions random_pool() { return test::random_pool(rows); }
CandidateOptions sample(double local_share) { return test::sobol_sample(rows, local_share); }

struct Top {
  std::vector<Scored> picks;
  std::uint64_t available = 0;
};

/// On a backend of its own.
struct Streaming {
  Streaming(const CandidateOptions& candidates, bool asynchronous, std::size_t tile)
      : backend(asynchronous), scene(backend, candidates), rows_of_tile(tile) {
    backend.calls.clear();
  }

  Top top(std::size_t count) {
    Top top;
    scene.search(rows_of_tile, [&](FantasyEnsemble& ensemble) {
      ensemble.fantasise(scene.encoded({0.5, 0.5, 0.5}), 1);
      top.picks = ensemble.top({{.parameter = 0.5}}, count);
      top.available = ensemble.search().available();
    });
    return top;
  }

  NotingBackend backend;
  test::StreamingScene scene;
  std::size_t rows_of_tile;
};

void expect_same(const Top& found, const Top& expected) {
  EXPECT_EQ(found.available, expected.available);
  ASSERT_EQ(found.picks.size(), expected.picks.size());
  for (std::size_t i = 0; i < found.picks.size(); ++i) {
    EXPECT_EQ(found.picks[i].index, expected.picks[i].index);
    EXPECT_EQ(found.picks[i].score, expected.picks[i].score);
  }
}

TEST(StreamedSearch, HandsTheNextTileOverBeforeOneIsSearchedAndPicksTheSame) {
  for (const CandidateOptions& candidates : {sample(0.3), random_pool()}) {
    for (const std::size_t tiles : {1u, 2u, 4u, 5u}) {
      const std::size_t rows_per_tile = rows / tiles;
      Streaming plain(candidates, false, rows_per_tile), ahead(candidates, true, rows_per_tile);
      const Top expected = plain.top(5);
      ASSERT_EQ(expected.picks.size(), 5u);
      expect_same(ahead.top(5), expected);
      // Sobol points are 1,400 of the sample's rows; the tile that holds the last of them is made of both.
      std::string sets;
      for (std::size_t k = 0; k < tiles; ++k) sets += candidates.pool || k * rows_per_tile >= 1400 ? 'c' : 's';
      std::string one_by_one, one_ahead = sets.substr(0, 1);
      for (std::size_t k = 0; k < tiles; ++k) {
        one_by_one += sets.substr(k, 1) + "t";
        one_ahead += sets.substr(std::min(k + 1, tiles), 1) + "t";
      }
      EXPECT_EQ(plain.backend.calls, one_by_one);
      EXPECT_EQ(ahead.backend.calls, one_ahead);
    }
  }
}

TEST(StreamedSearch, TilesWithoutARowToPickArePassedOver) {
  std::vector<double> numbers(900 * 3, 0.5);
  for (std::size_t i = 300; i < 600; ++i) numbers[i * 3] = 0.95;  // the filter refuses them
  for (std::size_t i = 0; i < 900; ++i) numbers[i * 3 + 1] = static_cast<double>(i) / 900.0;
  CandidateOptions pool;
  pool.pool = std::make_shared<const Pool>(box(), numbers, 900);
  Streaming plain(pool, false, 300), ahead(pool, true, 300);
  const Top expected = plain.top(3);
  EXPECT_EQ(expected.available, 600u);
  expect_same(ahead.top(3), expected);
  EXPECT_EQ(plain.backend.calls, "ctct");
  EXPECT_EQ(ahead.backend.calls, "ctct");
}

TEST(StreamedSearch, GoesOnAfterAnErrorHalfWay) {
  for (const bool asynchronous : {false, true}) {
    Streaming streaming(sample(0.0), asynchronous, 500);
    const Top expected = streaming.top(2);
    streaming.backend.calls.clear();
    streaming.backend.fail_at_set = 2;
    EXPECT_THROW(streaming.top(2), NumericalError);
    streaming.backend.fail_at_set = -1;
    expect_same(streaming.top(2), expected);
  }
}

}  // namespace
}  // namespace carbo::internal
