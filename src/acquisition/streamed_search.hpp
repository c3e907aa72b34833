#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "cost/cost_model.hpp"
#include "space/candidate_stream.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// How a stream is cut up.
struct Tiling {
  std::size_t rows = 0;  ///< of a tile
  std::size_t threads = 1;
  std::uint64_t& versions;  ///< counted up for every tile, so that no two that a cost model sees have the same
};

/// Exact picks from candidates that are never held whole: a bounded search of tile after tile, each with the best so
/// far as its floor. Where the backend is asynchronous, the next tile is handed to it before one is searched, and the
/// one after that is read meanwhile. Each `top` is a pass over the stream; indices are rows of it.
class StreamedSearch final : public Search {
 public:
  /// Whether a row (numbers) may be picked. Called from several threads.
  using Filter = std::function<bool(std::span<const double>)>;
  /// What is looked for in a tile, by its log cost and the cost's posterior; see FantasyEnsemble::setup.
  using Setup = std::function<SearchSetup(const Field* log_cost, const std::optional<CostPosterior>& posterior)>;

  StreamedSearch(Backend& backend, CostModel& cost, const CandidateStream& stream, const Tiling& tiling, Setup setup,
                 Filter filter);

  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override;
  std::vector<Scored> top(const SearchRequest& request, std::size_t count) override {
    return pass(request, count, nullptr);
  }
  std::vector<Scored> top_with(const SearchRequest& request, std::size_t count, const kernels::AcquisitionSpec& other,
                               Scored& beside) override {
    Beside look{other, {}};
    std::vector<Scored> best = pass(request, count, &look);
    beside = look.best;
    return best;
  }
  double log_cost(std::size_t) const override { return best_log_cost_; }
  std::uint64_t available() const override { return available_; }
  SearchWork work() const override { return work_; }

 private:
  /// What is looked for beside the best.
  struct Beside {
    kernels::AcquisitionSpec acquisition;
    Scored best;
  };
  struct Tile {
    std::uint64_t first = 0;  ///< row of the stream
    CandidateTable table;
    std::vector<std::size_t> excluded;  ///< rows of the table that may not be picked
    std::unique_ptr<CandidateSet> set;  ///< null where none may be
  };

  std::uint64_t tiles() const { return (stream_.size() + tile_ - 1) / tile_; }
  Tile& tile(std::uint64_t k) { return ring_[k % ring_.size()]; }
  /// Reads the rows of tile k and notes those that may not be picked.
  void read(std::uint64_t k);
  /// Rows [begin, end) of the tile, encoded unless they are Sobol points.
  void read_rows(Tile& tile, std::size_t begin, std::size_t end);
  /// Makes the set of a tile that was read.
  void hand_over(Tile& tile);
  /// The best of all tiles; `beside` may be null. Waits once a tile.
  std::vector<Scored> pass(const SearchRequest& request, std::size_t count, Beside* beside);
  /// The best `count` of a tile, added to `best`, and what is looked for beside. Waits once.
  void search(const Tile& tile, Search& search, SearchRequest request, std::size_t count, std::vector<Scored>& best,
              Beside* beside);
  void count_in(const Tile& tile, const SearchWork& work);

  Backend& backend_;
  CostModel& cost_;
  const CandidateStream& stream_;
  std::size_t tile_;
  std::uint64_t& versions_;
  Setup setup_;
  Filter filter_;
  ThreadPool threads_;
  bool ahead_;                ///< whether tiles are read and handed over ahead of their search
  std::vector<Tile> ring_;    ///< where ahead: one searched, one handed over, one being read, in turn
  std::uint64_t available_;   ///< of the last pass; before the first, all rows
  double best_log_cost_ = 0;  ///< of the last pass
  SearchWork work_;
};

}  // namespace carbo::internal
