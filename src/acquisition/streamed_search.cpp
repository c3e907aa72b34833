#include "acquisition/streamed_search.hpp"

#include <algorithm>
#include <future>

#include "acquisition/candidate_set.hpp"

namespace carbo::internal {
namespace {

/// Rows that one thread reads at a time.
constexpr std::size_t rows_a_read = 4096;

/// `more` into `best`, at most `count` of them; earlier rows win ties.
void merge(std::vector<StreamedPick>& best, std::vector<StreamedPick> more, std::size_t count) {
  best.insert(best.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  std::stable_sort(best.begin(), best.end(),
                   [](const StreamedPick& a, const StreamedPick& b) { return a.score > b.score; });
  best.resize(std::min(best.size(), count));
}

}  // namespace

StreamedSearch::StreamedSearch(Backend& backend, CostModel& cost, const CandidateStream& stream, std::size_t tile,
                               std::size_t threads, std::uint64_t& versions)
    : backend_(backend),
      cost_(cost),
      stream_(stream),
      tile_(tile),
      versions_(versions),
      threads_(threads),
      ahead_(backend.asynchronous()),
      ring_(ahead_ ? 3 : 1) {
  for (Tile& one : ring_) {
    one.table.parameters = stream.parameters();
    one.table.columns = stream.columns();
    one.table.sobol.recipe = stream.sobol().recipe;
  }
}

void StreamedSearch::read(std::uint64_t k, const Filter& filter) {
  Tile& own = tile(k);
  own.first = k * tile_;
  CandidateTable& table = own.table;
  table.rows = static_cast<std::size_t>(std::min<std::uint64_t>(tile_, stream_.size() - own.first));
  table.version = ++versions_;
  if (stream_.pool()) table.first_pool_row = own.first;
  const std::uint64_t points_left = stream_.sobol().rows - std::min<std::uint64_t>(own.first, stream_.sobol().rows);
  table.sobol.rows = static_cast<std::size_t>(std::min<std::uint64_t>(points_left, table.rows));
  table.sobol.first = static_cast<std::uint32_t>(own.first);
  table.numbers.resize(table.rows * table.parameters);
  table.encoded.resize((table.rows - table.sobol.rows) * table.columns);
  table.allowed.assign(table.rows, 0);
  read_rows(own, 0, table.sobol.rows, filter);
  read_rows(own, table.sobol.rows, table.rows, filter);
  own.excluded.clear();
  for (std::size_t row = 0; row < table.rows; ++row)
    if (!table.may_be_picked(row)) own.excluded.push_back(row);
}

void StreamedSearch::read_rows(Tile& tile, std::size_t begin, std::size_t end, const Filter& filter) {
  CandidateTable& table = tile.table;
  const bool encode = begin >= table.sobol.rows;
  threads_.parallel_for((end - begin + rows_a_read - 1) / rows_a_read, [&](std::size_t part) {
    const std::size_t first = begin + part * rows_a_read;
    const std::size_t count = std::min(rows_a_read, end - first);
    const std::span<std::uint8_t> allowed(table.allowed.data() + first, count);
    std::span<double> encoded;
    if (encode) encoded = {table.encoded.data() + (first - begin) * table.columns, count * table.columns};
    stream_.fill(tile.first + first, {table.numbers.data() + first * table.parameters, count * table.parameters},
                 encoded, allowed);
    for (std::size_t i = 0; i < count; ++i)
      if (allowed[i] != 0 && !filter(table.numbers_of(first + i))) allowed[i] = 0;
  });
}

void StreamedSearch::hand_over(Tile& tile) {
  tile.set.reset();
  if (tile.excluded.size() == tile.table.rows) return;
  tile.set = make_candidates(backend_, tile.table);
  tile.set->exclude(tile.excluded);
}

StreamedTop StreamedSearch::top(FantasyEnsemble& ensemble, const CostTerm& term, std::size_t count,
                                const Filter& filter) {
  StreamedTop result;
  std::shared_ptr<const Field> log_cost;
  // No search may outlive what it was given, not even after an error.
  struct Guard {
    FantasyEnsemble& ensemble;
    ~Guard() { ensemble.end(); }
  } const guard{ensemble};
  // Of one tile at a time; waits where it is dropped. Where nothing is done ahead, or no thread can be had, reading
  // begins with the wait for it.
  std::future<void> reading;
  const auto begin_reading = [&](std::uint64_t k) {
    if (k >= tiles()) return;
    const std::launch at_once = std::launch::async | std::launch::deferred;
    reading = std::async(ahead_ ? at_once : std::launch::deferred, [this, k, &filter] { read(k, filter); });
  };
  const auto fetch = [&](std::uint64_t k) {
    if (k >= tiles()) return;
    reading.get();
    hand_over(tile(k));
    begin_reading(k + 1);
  };
  begin_reading(0);
  if (ahead_) fetch(0);
  for (std::uint64_t k = 0; k < tiles(); ++k) {
    if (!ahead_) fetch(k);
    Tile& own = tile(k);
    if (own.set) {
      log_cost = cost_.field(own.table, *own.set);
      ensemble.begin(*own.set, *log_cost, cost_.posterior());
    }
    if (ahead_) fetch(k + 1);
    if (own.set) search(own, ensemble, term, count, result);
    own.set.reset();
  }
  return result;
}

void StreamedSearch::search(const Tile& tile, FantasyEnsemble& ensemble, const CostTerm& term, std::size_t count,
                            StreamedTop& result) {
  result.available += tile.set->available();
  const bool full = result.picks.size() == count && count > 0;
  const double floor = full ? result.picks.back().score : -std::numeric_limits<double>::infinity();
  std::vector<StreamedPick> picks;
  for (const Scored& one : ensemble.top(term, count, {}, floor)) {
    const auto numbers = tile.table.numbers_of(one.index);
    picks.push_back({tile.first + one.index, one.score, {numbers.begin(), numbers.end()}});
  }
  merge(result.picks, std::move(picks), count);
  const SearchWork work = ensemble.work();
  result.work.finished += work.finished;
  result.work.refreshed += work.refreshed;
  ensemble.end();
}

}  // namespace carbo::internal
