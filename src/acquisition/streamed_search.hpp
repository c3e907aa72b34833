#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "acquisition/fantasy_ensemble.hpp"
#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "space/candidate_stream.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// A picked row of a stream.
struct StreamedPick {
  std::uint64_t row = 0;
  double score = 0;
  std::vector<double> numbers;
};

/// The best of a stream, best first, with what finding them took.
struct StreamedTop {
  std::vector<StreamedPick> picks;
  SearchWork work;
  std::uint64_t available = 0;  ///< rows that may be picked
};

/// Exact picks from candidates that are never held whole: a bounded search of tile after tile, each with the best so
/// far as its floor.
class StreamedSearch {
 public:
  /// Whether a row (numbers) may be picked. Called from several threads.
  using Filter = std::function<bool(std::span<const double>)>;

  /// `versions`: counted up for every tile, so that no two that a cost model sees have the same.
  StreamedSearch(Backend& backend, CostModel& cost, const CandidateStream& stream, std::size_t tile,
                 std::size_t threads, std::uint64_t& versions);

  /// One pass over the stream. Points fantasised in `ensemble` so far are conditioned on.
  StreamedTop top(FantasyEnsemble& ensemble, const CostTerm& term, std::size_t count, const Filter& filter);

 private:
  /// Reads rows [first, first + rows of the tile) and makes the set of them; null where none may be picked.
  std::unique_ptr<CandidateSet> read_tile(std::uint64_t first, std::size_t rows, const Filter& filter);

  Backend& backend_;
  CostModel& cost_;
  const CandidateStream& stream_;
  std::size_t tile_;
  std::uint64_t& versions_;
  ThreadPool threads_;
  CandidateTable table_;
};

}  // namespace carbo::internal
