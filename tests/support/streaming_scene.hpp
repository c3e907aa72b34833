#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <carbo/carbo.hpp>

#include "acquisition/fantasy_ensemble.hpp"
#include "acquisition/streamed_search.hpp"
#include "backend/box.hpp"
#include "engine/history.hpp"
#include "engine/validate_options.hpp"
#include "support/models_of.hpp"
#include "support/random.hpp"

namespace carbo::test {

using namespace carbo::internal;

inline CandidateOptions sobol_sample(std::size_t rows, double local_share) {
  CandidateOptions options;
  options.source = CandidateSource::sobol;
  options.count = rows;
  options.local_share = local_share;
  return options;
}

inline CandidateOptions random_pool(std::size_t rows) {
  std::vector<double> numbers(rows * 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = uniform(3, Draw::uniform_configuration, i);
  CandidateOptions options;
  options.pool = std::make_shared<const Pool>(box(), numbers, rows);
  return options;
}

/// Models of a backend after 20 results, and candidates that are streamed through it. With four fantasies.
class StreamingScene {
 public:
  StreamingScene(Backend& backend, const CandidateOptions& candidates, CostModelKind cost = CostModelKind::automatic)
      : backend_(backend),
        settings_([&] {
          Options all{.budget = 1000.0, .seed = 11};
          all.fantasies.count = 4;
          all.candidates = candidates;
          all.cost.model = cost;
          return validated(space_, all);
        }()),
        models_(models_of(space_, settings_, backend)),
        stream_(make_candidate_stream(space_, settings_.candidates, 11, 1,
                                      LocalCentres{{{0.2, 0.7, 0.6}, {0.5, 0.9, 0.1}}})) {
    History history(space_);
    for (std::size_t i = 0; i < 20; ++i) {
      const auto at = [&](std::uint32_t c) { return uniform(5, Draw::uniform_configuration, i, c); };
      const Configuration c = space_.configuration(std::vector<double>{at(0), at(1), at(2)});
      const Evaluation result = evaluate_box(c);
      history.record(
          {std::nullopt, c, ObservationStatus::succeeded, Origin::prior, result.objective, result.cost, ""},
          std::nullopt);
    }
    history.learn_new();
    learn(backend, models_, history.learned());
  }

  /// use(ensemble), whose search streams all rows below 0.9 in the first column, so many a tile.
  template <class Use>
  void search(std::size_t rows_of_tile, const Use& use) {
    const EnsembleOptions options{settings_.fantasies, settings_.seed};
    FantasyEnsemble ensemble = make_ensemble(backend_, models_, options, Acquisition::ei_cool, {});
    ensemble.begin(std::make_unique<StreamedSearch>(
        backend_, models_.cost(), stream_, Tiling{rows_of_tile, 2, versions_},
        [&](const Field* log_cost, const std::optional<CostPosterior>& posterior) {
          return ensemble.setup(log_cost, posterior);
        },
        [](std::span<const double> row) { return row[0] < 0.9; }));
    use(ensemble);
  }

  std::vector<double> encoded(std::vector<double> numbers) const {
    return space_.encode(space_.configuration(std::move(numbers)));
  }
  /// Encoded, of a row of the stream.
  std::vector<double> row(std::uint64_t index) const {
    std::vector<double> numbers(stream_.parameters());
    std::uint8_t allowed = 0;
    stream_.fill(index, numbers, {}, {&allowed, 1});
    return encoded(numbers);
  }

 private:
  Space space_ = box();
  Backend& backend_;
  Options settings_;
  ModelPair models_;
  CandidateStream stream_;
  std::uint64_t versions_ = 0;
};

}  // namespace carbo::test
