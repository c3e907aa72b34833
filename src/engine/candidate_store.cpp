#include "engine/candidate_store.hpp"

#include <algorithm>

#include <carbo/error.hpp>

#include "acquisition/candidate_set.hpp"
#include "space/row_source.hpp"

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
  if (!options_.candidates.pool) return std::nullopt;
  const auto rows = pool_rows(space_, options_.candidates.pool);
  std::vector<double> read;
  for (std::uint64_t first = 0; first < rows->size(); first += rows_at_once) {
    const std::uint64_t count = std::min<std::uint64_t>(rows_at_once, rows->size() - first);
    read.resize(count * numbers.size());
    rows->read(first, read);
    for (std::size_t row = 0; row < count; ++row)
      if (std::ranges::equal(numbers, std::span(read).subspan(row * numbers.size(), numbers.size())))
        return static_cast<std::size_t>(first) + row;
  }
  return std::nullopt;
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
