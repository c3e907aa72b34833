#pragma once

#include <cstddef>
#include <cstdint>

#include "device/bound_view.hpp"
#include "device/device_views.hpp"

namespace carbo::kernels {

/// What a search has done, added up by kernels.
struct WorkCounters {
  unsigned long long finished;   ///< variances made of all rows, by factor and candidate
  unsigned long long refreshed;  ///< by factor and candidate
  unsigned long long rows;       ///< Σ rows² of what was solved
  unsigned long long screened;   ///< means that were first bounded in low precision
};

/// Where a pick stands, in device memory; all that returns to the host.
struct PickState {
  BestTwo best;
  double threshold;  ///< whoever is certainly below this cannot enter
  WorkCounters work;
};

/// Lists that only the device knows the length of.
struct ListBuffer {
  std::uint32_t* indices = nullptr;
  std::uint64_t* count = nullptr;
};

/// Who stays in a list, and how old it is.
struct ContenderView {
  const double* ceilings = nullptr;
  const PickState* state = nullptr;
  const std::uint32_t* versions = nullptr;  ///< fantasised points that a candidate has seen
  std::uint32_t now = 0;                    ///< fantasised points
};

/// Candidates that have missed like numbers of points lie together: class 0 has missed none, class c ≥ 1 from 2^(c−1)
/// to 2^c − 1, the last one all above.
inline constexpr int age_classes = 8;
/// Threads of a block that compacts a list: one warp a class adds up what was counted.
inline constexpr int list_threads = 32 * age_classes;
inline constexpr int most_list_blocks = 512;

/// Contenders of a list by class and block of threads: class · blocks + block.
struct ContenderCounts {
  std::uint32_t* counts = nullptr;
  int blocks = 1;  ///< that count and compact a list, each an equal share; at most most_list_blocks
};

/// How far the blocks of a launch are, in device memory: all 0 before and after.
struct BlockProgress {
  unsigned* begun = nullptr;
  unsigned* arrived = nullptr;  ///< at the end
  unsigned* counts = nullptr;   ///< by turn: 1 + what the block has counted; at most most_list_blocks
};
inline constexpr std::size_t block_progress_words = 2 + most_list_blocks;
inline BlockProgress block_progress(unsigned* words) { return {words, words + 1, words + 2}; }

/// Where the best of all blocks of a launch goes, by the last of them: into the state's best and its threshold,
/// beside what it held before where `keep`.
struct BestTarget {
  unsigned* arrived = nullptr;  ///< see BlockProgress
  bool keep = false;
  int wanted = 1;    ///< candidates: 1 or 2
  double floor = 0;  ///< see SearchRequest
  PickState* state = nullptr;
};

/// What is kept of a pick.
struct PickRecord {
  PickState state;
  double incumbent;  ///< mean of what improvement was measured from
};

/// What improvement is measured from, `count` values, and their mean in `record`, summed in their order. Where
/// `values` is given, the values of the pick in `before` as they were fantasised, lower ones take the place of what
/// is there; not where nothing was picked.
struct IncumbentTarget {
  const PickRecord* before = nullptr;
  const double* values = nullptr;
  double* incumbents = nullptr;
  int count = 0;
  PickRecord* record = nullptr;  ///< null: nothing is followed
};

/// What a round lasts, see AcquisitionSpec, and what a pick may lengthen it by.
struct RoundLength {
  double* log_cost = nullptr;         ///< null where the pick joins none
  const double* log_costs = nullptr;  ///< of all candidates; null where cost does not enter
  bool begins = false;                ///< `before` is what it lasts
  double before = 0;
};

/// Where a pick is kept: its state, its coordinates (where nothing was picked, those of candidate 0), and where
/// `mask` is not null it may not be picked again. The round lasts as long as it.
struct PickTarget {
  CandidateView candidates;
  RoundLength round;
  std::uint8_t* mask = nullptr;
  PickRecord* record = nullptr;  ///< null: it is not kept
  double* point = nullptr;       ///< null: its coordinates are not kept
};

/// Where seeds go: the candidates of the `most` highest keys of blocks of candidates (ties: the first blocks), in the
/// order of the blocks; `highest` becomes the greatest of all ceilings.
struct SeedTarget {
  int most = 0;
  ListBuffer seeds;
  double* highest = nullptr;
};

/// Ceilings between the threshold and the highest in equal steps, highest first.
struct ChunkRange {
  double highest;
  int last_bin;  ///< of a chunk
  unsigned bins[256];
};

}  // namespace carbo::kernels
