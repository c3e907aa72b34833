#include "acquisition/streamed_search.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "acquisition/candidate_set.hpp"

namespace carbo::internal {
namespace {

/// Rows that one thread reads at a time.
constexpr std::size_t rows_per_read = 4096;

/// `more` into `best`, at most `count` of them; earlier rows win ties.
void merge(std::vector<Scored>& best, std::span<const Scored> more, std::size_t count) {
  best.insert(best.end(), more.begin(), more.end());
  std::stable_sort(best.begin(), best.end(), [](const Scored& a, const Scored& b) { return a.score > b.score; });
  best.resize(std::min(best.size(), count));
}

}  // namespace

StreamedSearch::StreamedSearch(Backend& backend, CostModel& cost, const CandidateStream& stream, const Tiling& tiling,
                               Setup setup, Filter filter)
    : backend_(backend),
      cost_(cost),
      stream_(stream),
      tile_(tiling.rows),
      versions_(tiling.versions),
      setup_(std::move(setup)),
      filter_(std::move(filter)),
      threads_(tiling.threads),
      ahead_(backend.asynchronous()),
      ring_(ahead_ ? 3 : 1),
      available_(stream.size()) {
  for (Tile& one : ring_) {
    one.table.parameters = stream.parameters();
    one.table.columns = stream.columns();
    one.table.sobol.recipe = stream.sobol().recipe;
  }
}

std::vector<double> StreamedSearch::fantasise(std::span<const double> point, std::span<const double> normals) {
  const std::span<GpFactor* const> factors = setup_(nullptr, std::nullopt).factors;
  const std::size_t of_factor = normals.size() / factors.size();
  std::vector<double> values;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::vector<double> own = factors[i]->fantasise(point, normals.subspan(i * of_factor, of_factor));
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

void StreamedSearch::read(std::uint64_t k) {
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
  read_rows(own, 0, table.sobol.rows);
  read_rows(own, table.sobol.rows, table.rows);
  own.excluded.clear();
  for (std::size_t row = 0; row < table.rows; ++row)
    if (!table.may_be_picked(row)) own.excluded.push_back(row);
}

void StreamedSearch::read_rows(Tile& tile, std::size_t begin, std::size_t end) {
  CandidateTable& table = tile.table;
  const bool encode = begin >= table.sobol.rows;
  threads_.parallel_for((end - begin + rows_per_read - 1) / rows_per_read, [&](std::size_t part) {
    const std::size_t first = begin + part * rows_per_read;
    const std::size_t count = std::min(rows_per_read, end - first);
    const std::span<std::uint8_t> allowed(table.allowed.data() + first, count);
    std::span<double> encoded;
    if (encode) encoded = {table.encoded.data() + (first - begin) * table.columns, count * table.columns};
    stream_.fill(tile.first + first, {table.numbers.data() + first * table.parameters, count * table.parameters},
                 encoded, allowed);
    for (std::size_t i = 0; i < count; ++i)
      if (allowed[i] != 0 && !filter_(table.numbers_of(first + i))) allowed[i] = 0;
  });
}

void StreamedSearch::hand_over(Tile& tile) {
  tile.set.reset();
  if (tile.excluded.size() == tile.table.rows) return;
  tile.set = make_candidates(backend_, tile.table);
  tile.set->exclude(tile.excluded);
}

std::vector<Scored> StreamedSearch::pass(const SearchRequest& request, std::size_t count, Beside* beside) {
  std::vector<Scored> best;
  std::shared_ptr<const Field> log_cost;
  available_ = 0;
  // Of one tile at a time; waits where it is dropped. Where nothing is done ahead, or no thread can be had, reading
  // begins with the wait for it.
  std::future<void> reading;
  const auto begin_reading = [&](std::uint64_t k) {
    if (k >= tiles()) return;
    const std::launch at_once = std::launch::async | std::launch::deferred;
    reading = std::async(ahead_ ? at_once : std::launch::deferred, [this, k] { read(k); });
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
    std::unique_ptr<Search> of_tile;
    if (own.set) {
      log_cost = cost_.field(own.table, *own.set, FieldUse::search);
      of_tile = backend_.make_search(*own.set, setup_(log_cost.get(), cost_.posterior()));
    }
    if (ahead_) fetch(k + 1);
    if (own.set) {
      search(own, *of_tile, request, count, best, beside);
      count_in(own, of_tile->work());
    }
    of_tile.reset();
    own.set.reset();
  }
  return best;
}

void StreamedSearch::search(const Tile& tile, Search& search, SearchRequest request, std::size_t count,
                            std::vector<Scored>& best, Beside* beside) {
  if (best.size() == count && count > 0) request.floor = std::max(request.floor, best.back().score);
  if (beside != nullptr) request.floor_beside = beside->best.score;
  request.normals_ahead = {};  // a search lives for one pass
  Scored other;
  std::vector<Scored> found =
      beside == nullptr ? search.top(request, count) : search.top_with(request, count, beside->acquisition, other);
  for (Scored& one : found) one.index += tile.first;
  merge(best, found, count);
  if (!best.empty() && best.front().index >= tile.first)
    best_log_cost_ = search.log_cost(best.front().index - tile.first);
  if (beside != nullptr && other.score > beside->best.score) beside->best = {other.index + tile.first, other.score};
}

void StreamedSearch::count_in(const Tile& tile, const SearchWork& work) {
  available_ += tile.set->available();
  work_.finished += work.finished;
  work_.refreshed += work.refreshed;
  work_.means += work.means;
  work_.screened += work.screened;
}

}  // namespace carbo::internal
