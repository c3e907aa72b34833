#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <carbo/memory_plan.hpp>
#include <carbo/options.hpp>
#include <carbo/space.hpp>

#include "backend/candidate_backend.hpp"
#include "engine/known_points.hpp"
#include "space/candidate_stream.hpp"
#include "space/candidates.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {

/// A point that was evaluated, is running, or was just picked.
struct KnownPoint {
  std::span<const double> numbers;
  std::span<const double> encoded;
};

/// What a CandidateStore remembers of what it was asked for; Ω̃ itself is made anew.
struct CandidateStoreState {
  bool streamed = false;                  ///< by the last plan
  std::size_t sample = 0;                 ///< by the last plan
  std::optional<std::size_t> resident{};  ///< of a streamed Ω̃, what the sample that is kept was limited to
};

Tree tree_of(const CandidateStoreState& state);
CandidateStoreState read_candidate_store_state(const TreeReader& reader);

/// Ω̃ of the moment: the host's table and the backend's resident set, kept in step with what was evaluated.
class CandidateStore {
 public:
  CandidateStore(const Space& space, const Options& options, CandidateBackend& backend);

  /// Rows of Ω̃ before any are dropped.
  std::uint64_t candidates() const;
  /// Follows the plan from the next `prepare_…` on. Where it streams, the resident set is an evenly spaced sample.
  void follow(const MemoryPlan& plan);
  bool streamed() const { return plan_.streamed; }
  const MemoryPlan& plan() const { return plan_; }
  /// What every new table or tile takes its version from, by counting up.
  std::uint64_t& versions() { return versions_; }
  /// All of Ω̃ for one `ask` of a streamed search. The resident set is forgotten.
  CandidateStream stream(const LocalCentres& centres, std::uint64_t round);

  /// Ω̃ for the initial design: one set for the whole design, known points excluded, with distances to them.
  void prepare_design(std::span<const KnownPoint> known);
  /// Ω̃ for one `ask` of the search, known points excluded unless repeats are allowed: renewed round `centres`
  /// where the space allows it.
  void prepare_search(std::span<const KnownPoint> known, const LocalCentres& centres, std::uint64_t round);
  /// Forgets the resident set, so that the next `prepare_…` starts from the history alone (after a suggestion was
  /// withdrawn, or an `ask` threw half-way).
  void invalidate() {
    set_.reset();
    if (!fixed_) resident_sample_.reset();
  }
  /// Takes a picked row out of Ω̃; in the design it is from now on part of what distances are measured to.
  void take(std::size_t row);

  const CandidateTable& table() const { return table_; }
  CandidateSet& set() { return *set_; }
  /// Whether a row may still be picked; the host's copy of the set's mask.
  bool available(std::size_t row) const { return available_[row] != 0; }
  Configuration configuration(std::size_t row) const { return space_.configuration(table_.numbers_of(row)); }
  std::optional<std::size_t> pool_index(std::size_t row) const;
  /// First row of the caller's pool that is this configuration (numbers); absent where none is, or there is no pool.
  std::optional<std::size_t> find_in_pool(std::span<const double> numbers) const;
  /// The same of many configurations (numbers, one after the other), in one pass over the pool.
  std::vector<std::optional<std::size_t>> find_all_in_pool(std::span<const double> numbers) const;
  /// True for a pool or an enumeration.
  bool fixed() const { return fixed_; }

  CandidateStoreState state() const { return {plan_.streamed, plan_.sample, resident_sample_}; }
  /// As the store was whose state it is. Throws InvalidState where a sample is larger than Ω̃ or than memory.
  void restore(const CandidateStoreState& state);

 private:
  enum class Use { design, search };

  /// True where the set was made anew.
  bool ensure_set(Use use, std::uint64_t round, const LocalCentres& centres);
  CandidateTable make_table(std::uint64_t round, const LocalCentres& centres);
  bool renewed() const { return !fixed_ && options_.candidates.renew; }
  /// Excludes the known points that the set's mask does not reflect yet; returns their encodings, row-major.
  std::vector<double> exclude(std::span<const KnownPoint> known);

  const Space& space_;
  const Options& options_;
  CandidateBackend& backend_;
  bool fixed_;
  MemoryPlan plan_;
  std::uint64_t versions_ = 0;  ///< given to tables and tiles so far
  Use use_ = Use::design;
  CandidateTable table_;
  /// Rows that `table_` was limited to, where it is a sample and will be used again: the plan may have changed since.
  std::optional<std::size_t> resident_sample_;
  std::unique_ptr<CandidateSet> set_;
  std::vector<std::uint8_t> available_;
  KnownPoints known_;  ///< evaluated and pending points that the set's mask already reflects
};

}  // namespace carbo::internal
