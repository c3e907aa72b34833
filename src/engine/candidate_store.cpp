#include "engine/candidate_store.hpp"

#include <algorithm>
#include <unordered_map>

#include <carbo/error.hpp>

#include "acquisition/candidate_set.hpp"
#include "space/row_source.hpp"
#include "support/row_hash.hpp"

namespace carbo::internal {
CandidateStore::CandidateStore(const Space& space, const Options& options, CandidateBackend& backend)
    : space_(space),
      options_(options),
      backend_(backend),
      fixed_(fixed_candidates(space, options.candidates, most_stream_rows)) {}

std::uint64_t CandidateStore::candidates() const {
  if (options_.candidates.pool) return options_.candidates.pool->size();
  return fixed_ ? space_.cardinality() : options_.candidates.count;
}

void CandidateStore::follow(const MemoryPlan& plan) {
  if (plan.streamed != plan_.streamed || (plan.streamed && plan.sample < plan_.sample)) {
    set_.reset();
    table_.rows = 0;
    resident_sample_.reset();
  }
  plan_ = plan;
}

CandidateStream CandidateStore::stream(const LocalCentres& centres, std::uint64_t round) {
  set_.reset();
  table_ = {};
  resident_sample_.reset();
  return make_candidate_stream(space_, options_.candidates, options_.seed, renewed() ? round + 1 : 0,
                               renewed() ? centres : LocalCentres{});
}

CandidateTable CandidateStore::make_table(std::uint64_t round, const LocalCentres& centres) {
  if (!plan_.streamed) return make_candidate_table(space_, options_.candidates, options_.seed, round, centres);
  const std::size_t sample = resident_sample_.value_or(plan_.sample);
  resident_sample_ = sample;
  if (fixed_) {
    return sampled_table(space_, make_candidate_stream(space_, options_.candidates, options_.seed, 0, {}), sample);
  }
  CandidateOptions fewer = options_.candidates;
  fewer.count = std::min(fewer.count, sample);
  return make_candidate_table(space_, fewer, options_.seed, round, centres);
}

void CandidateStore::prepare_design(std::span<const KnownPoint> known) {
  const bool fresh_set = ensure_set(Use::design, 0, {});
  const std::vector<double> rows = exclude(known);
  const MatrixView points{rows.data(), rows.size() / table_.columns, table_.columns};
  if (fresh_set) {
    set_->set_design(points);
  } else {
    for (std::size_t i = 0; i < points.rows; ++i) set_->add_design_point(points.row(i));
  }
}

void CandidateStore::prepare_search(std::span<const KnownPoint> known, const LocalCentres& centres,
                                    std::uint64_t round) {
  if (renewed()) invalidate();
  ensure_set(Use::search, renewed() ? round + 1 : 0, renewed() ? centres : LocalCentres{});
  if (!options_.candidates.allow_repeats) exclude(known);
}

void CandidateStore::take(std::size_t row) {
  if (use_ == Use::search && options_.candidates.allow_repeats) return;
  set_->exclude(row);
  available_[row] = 0;
  known_.add(table_.numbers_of(row));
  if (use_ == Use::design) set_->add_design_point(space_.encode(configuration(row)));
}

std::optional<std::size_t> CandidateStore::pool_index(std::size_t row) const {
  if (table_.pool_index.empty()) return std::nullopt;
  return table_.pool_index[row];
}

std::optional<std::size_t> CandidateStore::find_in_pool(std::span<const double> numbers) const {
  return find_all_in_pool(numbers).front();
}

std::vector<std::optional<std::size_t>> CandidateStore::find_all_in_pool(std::span<const double> numbers) const {
  const std::size_t columns = space_.parameters().size();
  std::vector<std::optional<std::size_t>> found(numbers.size() / columns);
  if (!options_.candidates.pool || found.empty()) return found;
  std::unordered_multimap<std::uint64_t, std::size_t> wanted;  // by hash, those that are not found yet
  KnownPoints sought;                                          // rules out most rows before they are hashed
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto own = numbers.subspan(i * columns, columns);
    wanted.emplace(row_hash(own), i);
    sought.add(own);
  }
  const auto rows = pool_rows(space_, options_.candidates.pool);
  std::vector<double> read;
  for (std::uint64_t first = 0; first < rows->size() && !wanted.empty(); first += rows_at_once) {
    const std::uint64_t count = std::min<std::uint64_t>(rows_at_once, rows->size() - first);
    read.resize(count * columns);
    rows->read(first, read);
    for (std::size_t row = 0; row < count; ++row) {
      const auto own = std::span<const double>(read).subspan(row * columns, columns);
      if (!sought.contains(own)) continue;
      for (auto [it, end] = wanted.equal_range(row_hash(own)); it != end;) {
        if (std::ranges::equal(own, numbers.subspan(it->second * columns, columns))) {
          found[it->second] = static_cast<std::size_t>(first) + row;
          it = wanted.erase(it);
        } else {
          ++it;
        }
      }
    }
  }
  return found;
}

bool CandidateStore::ensure_set(Use use, std::uint64_t round, const LocalCentres& centres) {
  const bool repeats_change_the_mask = use != use_ && options_.candidates.allow_repeats;
  use_ = use;
  if (set_ && !repeats_change_the_mask) return false;
  if (set_) invalidate();
  if (table_.rows == 0 || !fixed_) {
    table_ = make_table(round, centres);
    table_.version = ++versions_;
  }
  set_ = make_candidates(backend_, table_);
  available_.assign(table_.rows, 1);
  known_ = {};
  return true;
}

Tree tree_of(const CandidateStoreState& state) {
  Tree tree = Tree::object();
  tree.set("streamed", state.streamed);
  tree.set("sample", state.sample);
  tree.set("resident", state.resident);
  return tree;
}

CandidateStoreState read_candidate_store_state(const TreeReader& reader) {
  CandidateStoreState state;
  state.streamed = reader.get<bool>("streamed");
  state.sample = reader.get<std::uint64_t>("sample");
  reader.read("resident", state.resident);
  return state;
}

void CandidateStore::restore(const CandidateStoreState& state) {
  const std::size_t most = options_.backend.memory_bytes / sizeof(double) / space_.encoded_columns();
  if (state.resident && (*state.resident == 0 || *state.resident > std::min<std::uint64_t>(candidates(), most)))
    throw InvalidState("resident: expected 1 to as many as there are candidates and memory for");
  plan_.streamed = state.streamed;
  plan_.sample = state.sample;
  resident_sample_ = state.resident;
}

std::vector<double> CandidateStore::exclude(std::span<const KnownPoint> known) {
  KnownPoints fresh;
  std::vector<double> encodings;
  for (const KnownPoint& point : known) {
    if (known_.contains(point.numbers)) continue;
    known_.add(point.numbers);
    fresh.add(point.numbers);
    encodings.insert(encodings.end(), point.encoded.begin(), point.encoded.end());
  }
  if (fresh.empty()) return encodings;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table_.rows; ++row) {
    if (available(row) && fresh.contains(table_.numbers_of(row))) rows.push_back(row);
  }
  set_->exclude(rows);
  for (const std::size_t row : rows) available_[row] = 0;
  return encodings;
}

}  // namespace carbo::internal
