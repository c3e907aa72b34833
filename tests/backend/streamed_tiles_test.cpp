#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "acquisition/fantasy_ensemble.hpp"
#include "acquisition/streamed_search.hpp"
#include "backend/box.hpp"
#include "engine/history.hpp"
#include "engine/validate_options.hpp"
#include "support/models_of.hpp"
#include "support/noting_backend.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

using test::box;
using test::evaluate_box;
using test::NotingBackend;

constexpr std::size_t rows = 2000;

CandidateOptions sample(double local_share) {
  CandidateOptions options;
  options.source = CandidateSource::sobol;
  options.count = rows;
  options.local_share = local_share;
  return options;
}

CandidateOptions random_pool() {
  std::vector<double> numbers(rows * 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = uniform(3, Draw::uniform_configuration, i);
  CandidateOptions options;
  options.pool = std::make_shared<const Pool>(box(), numbers, rows);
  return options;
}

struct Top {
  std::vector<Scored> picks;
  std::uint64_t available = 0;
};

/// A streamed search on a backend of its own, after the same prior data.
struct Streaming {
  Streaming(Space given, CandidateOptions candidates, bool asynchronous, std::size_t tile)
      : space(std::move(given)),
        settings([&] {
          Options all{.budget = 1000.0, .seed = 11};
          all.fantasies.count = 4;
          all.candidates = std::move(candidates);
          return validated(space, all);
        }()),
        backend(asynchronous),
        models(test::models_of(space, settings, backend)),
        stream(make_candidate_stream(space, settings.candidates, 11, 1,
                                     LocalCentres{{{0.2, 0.7, 0.6}, {0.5, 0.9, 0.1}}})),
        rows_of_tile(tile) {
    History history(space);
    for (std::size_t i = 0; i < 20; ++i) {
      const auto at = [&](std::uint32_t c) { return uniform(5, Draw::uniform_configuration, i, c); };
      const Configuration c = space.configuration(std::vector<double>{at(0), at(1), at(2)});
      const Evaluation result = evaluate_box(c);
      history.record(
          {std::nullopt, c, ObservationStatus::succeeded, Origin::prior, result.objective, result.cost, ""},
          std::nullopt);
    }
    history.learn_new();
    test::learn(backend, models, history.learned());
    backend.calls.clear();
  }

  Top top(std::size_t count) {
    const EnsembleOptions options{settings.fantasies, settings.seed};
    FantasyEnsemble ensemble = make_ensemble(backend, models, options, Acquisition::ei_cool, {});
    ensemble.begin(std::make_unique<StreamedSearch>(
        backend, models.cost(), stream, Tiling{rows_of_tile, 2, versions},
        [&](const Field* log_cost, const std::optional<CostPosterior>& posterior) {
          return ensemble.setup(log_cost, posterior);
        },
        [](std::span<const double> row) { return row[0] < 0.9; }));
    ensemble.fantasise(space.encode(space.configuration(std::vector<double>{0.5, 0.5, 0.5})), 1);
    Top top{ensemble.top({{.parameter = 0.5}}, count), 0};
    top.available = ensemble.search().available();
    return top;
  }

  Space space;
  Options settings;
  NotingBackend backend;
  ModelPair models;
  CandidateStream stream;
  std::size_t rows_of_tile;
  std::uint64_t versions = 0;
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
      Streaming plain(box(), candidates, false, rows_per_tile), ahead(box(), candidates, true, rows_per_tile);
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
  Streaming plain(box(), pool, false, 300), ahead(box(), pool, true, 300);
  const Top expected = plain.top(3);
  EXPECT_EQ(expected.available, 600u);
  expect_same(ahead.top(3), expected);
  EXPECT_EQ(plain.backend.calls, "ctct");
  EXPECT_EQ(ahead.backend.calls, "ctct");
}

TEST(StreamedSearch, GoesOnAfterAnErrorHalfWay) {
  for (const bool asynchronous : {false, true}) {
    Streaming streaming(box(), sample(0.0), asynchronous, 500);
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
