#include "engine/candidate_store.hpp"

#include <algorithm>

namespace carbo::internal {
namespace {

MatrixView encoded_view(const CandidateTable& table) { return {table.encoded.data(), table.rows, table.columns}; }

}  // namespace

CandidateStore::CandidateStore(const Space& space, const Options& options, Backend& backend)
    : space_(space), options_(options), backend_(backend), fixed_(fixed_candidates(space, options.candidates)) {}

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
  const bool renew = !fixed_ && options_.candidates.renew;
  if (renew) set_.reset();
  ensure_set(Use::search, renew ? round + 1 : 0, renew ? centres : LocalCentres{});
  if (!options_.candidates.allow_repeats) exclude(known);
}

void CandidateStore::take(std::size_t row) {
  if (use_ == Use::search && options_.candidates.allow_repeats) return;
  set_->exclude(row);
  available_[row] = 0;
  known_.add(table_.numbers_of(row));
  if (use_ == Use::design) set_->add_design_point(table_.encoded_of(row));
}

std::optional<std::size_t> CandidateStore::find(std::span<const double> numbers) const {
  for (std::size_t row = 0; row < table_.rows; ++row) {
    if (std::ranges::equal(table_.numbers_of(row), numbers)) return row;
  }
  return std::nullopt;
}

std::optional<std::size_t> CandidateStore::pool_index(std::size_t row) const {
  if (table_.pool_index.empty()) return std::nullopt;
  return table_.pool_index[row];
}

bool CandidateStore::ensure_set(Use use, std::uint64_t round, const LocalCentres& centres) {
  const bool repeats_change_the_mask = use != use_ && options_.candidates.allow_repeats;
  use_ = use;
  if (set_ && !repeats_change_the_mask) return false;
  if (table_.rows == 0 || !fixed_) {
    const std::uint64_t version = table_.version + 1;
    table_ = make_candidate_table(space_, options_.candidates, options_.seed, round, centres);
    table_.version = version;
  }
  set_ = backend_.make_candidates(encoded_view(table_));
  available_.assign(table_.rows, 1);
  known_ = {};
  return true;
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
