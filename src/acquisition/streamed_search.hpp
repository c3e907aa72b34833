#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
/// far as its floor. Where the backend is asynchronous, the next tile is handed to it before one is searched, and the
/// one after that is read meanwhile.
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
  struct Tile {
    std::uint64_t first = 0;  ///< row of the stream
    CandidateTable table;
    std::vector<std::size_t> excluded;  ///< rows of the table that may not be picked
    std::unique_ptr<CandidateSet> set;  ///< null where none may be
  };

  std::uint64_t tiles() const { return (stream_.size() + tile_ - 1) / tile_; }
  Tile& tile(std::uint64_t k) { return ring_[k % ring_.size()]; }
  /// Reads the rows of tile k and notes those that may not be picked.
  void read(std::uint64_t k, const Filter& filter);
  /// Rows [begin, end) of the tile, encoded unless they are Sobol points.
  void read_rows(Tile& tile, std::size_t begin, std::size_t end, const Filter& filter);
  /// Makes the set of a tile that was read.
  void hand_over(Tile& tile);
  /// The best of a tile that the ensemble has begun with, added to `result`.
  void search(const Tile& tile, FantasyEnsemble& ensemble, const CostTerm& term, std::size_t count,
              StreamedTop& result);

  Backend& backend_;
  CostModel& cost_;
  const CandidateStream& stream_;
  std::size_t tile_;
  std::uint64_t& versions_;
  ThreadPool threads_;
  bool ahead_;              ///< whether tiles are read and handed over ahead of their search
  std::vector<Tile> ring_;  ///< where ahead: one searched, one handed over, one being read, in turn
};

}  // namespace carbo::internal
