#include "acquisition/streamed_search.hpp"

#include <algorithm>

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
    : backend_(backend), cost_(cost), stream_(stream), tile_(tile), versions_(versions), threads_(threads) {
  table_.parameters = stream.parameters();
  table_.columns = stream.columns();
}

std::unique_ptr<CandidateSet> StreamedSearch::read_tile(std::uint64_t first, std::size_t rows, const Filter& filter) {
  table_.rows = rows;
  table_.version = ++versions_;
  if (stream_.pool()) table_.first_pool_row = first;
  table_.numbers.resize(rows * table_.parameters);
  table_.encoded.resize(rows * table_.columns);
  table_.allowed.assign(rows, 0);
  threads_.parallel_for((rows + rows_a_read - 1) / rows_a_read, [&](std::size_t read) {
    const std::size_t begin = read * rows_a_read;
    const std::size_t count = std::min(rows_a_read, rows - begin);
    const std::span<std::uint8_t> allowed(table_.allowed.data() + begin, count);
    stream_.fill(first + begin, {table_.numbers.data() + begin * table_.parameters, count * table_.parameters},
                 {table_.encoded.data() + begin * table_.columns, count * table_.columns}, allowed);
    for (std::size_t i = 0; i < count; ++i)
      if (allowed[i] != 0 && !filter(table_.numbers_of(begin + i))) allowed[i] = 0;
  });
  std::vector<std::size_t> excluded;
  for (std::size_t i = 0; i < rows; ++i)
    if (!table_.may_be_picked(i)) excluded.push_back(i);
  if (excluded.size() == rows) return nullptr;
  auto set = backend_.make_candidates({table_.encoded.data(), rows, table_.columns});
  set->exclude(excluded);
  return set;
}

StreamedTop StreamedSearch::top(FantasyEnsemble& ensemble, const CostTerm& term, std::size_t count,
                                const Filter& filter) {
  StreamedTop result;
  for (std::uint64_t first = 0; first < stream_.size(); first += tile_) {
    const std::size_t rows = static_cast<std::size_t>(std::min<std::uint64_t>(tile_, stream_.size() - first));
    const std::unique_ptr<CandidateSet> set = read_tile(first, rows, filter);
    if (!set) continue;
    result.available += set->available();
    const std::shared_ptr<const Field> log_cost = cost_.field(table_, *set);
    ensemble.begin(*set, *log_cost, cost_.posterior());
    const bool full = result.picks.size() == count && count > 0;
    const double floor = full ? result.picks.back().score : -std::numeric_limits<double>::infinity();
    std::vector<StreamedPick> picks;
    for (const Scored& one : ensemble.top(term, count, {}, floor)) {
      const auto numbers = table_.numbers_of(one.index);
      picks.push_back({first + one.index, one.score, {numbers.begin(), numbers.end()}});
    }
    merge(result.picks, std::move(picks), count);
    const SearchWork work = ensemble.work();
    result.work.finished += work.finished;
    result.work.refreshed += work.refreshed;
    ensemble.end();
  }
  return result;
}

}  // namespace carbo::internal
