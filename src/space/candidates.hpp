#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <carbo/options.hpp>
#include <carbo/space.hpp>

#include "space/sobol_recipe.hpp"

namespace carbo::internal {

/// Ω̃ on the host: distinct configurations that satisfy the constraints. Sobol points, which come first, are encoded
/// by whoever needs them, the others here.
struct CandidateTable {
  std::size_t rows = 0;
  std::size_t parameters = 0;
  std::size_t columns = 0;
  std::vector<double> numbers;  ///< rows × parameters (see Configuration::numbers)
  SobolShare sobol;
  std::vector<double> encoded;          ///< of the rows after the Sobol points: rows − sobol.rows × columns
  std::vector<std::size_t> pool_index;  ///< row of the caller's pool; empty otherwise
  std::optional<std::uint64_t> first_pool_row;  ///< of a tile: its rows are the pool's from this one on
  std::vector<std::uint8_t> allowed;            ///< of a tile: 0 where a row may not be picked; empty where all may
  std::uint64_t version = 0;                    ///< given by whoever keeps tables: those of one version are the same

  bool may_be_picked(std::size_t row) const { return allowed.empty() || allowed[row] != 0; }
  /// Row of the caller's pool; absent where there is none.
  std::optional<std::size_t> pool_row(std::size_t row) const {
    if (!pool_index.empty()) return pool_index[row];
    if (first_pool_row) return static_cast<std::size_t>(*first_pool_row + row);
    return std::nullopt;
  }
  std::span<const double> numbers_of(std::size_t row) const {
    return {numbers.data() + row * parameters, parameters};
  }
  /// Of a row that is no Sobol point.
  std::span<const double> encoded_of(std::size_t row) const {
    return {encoded.data() + (row - sobol.rows) * columns, columns};
  }
};

/// Where a renewed set is dense: configurations (numbers) of the best points, best first.
struct LocalCentres {
  std::vector<std::vector<double>> numbers;
};

/// Largest Ω̃ that is held and largest that is streamed.
inline constexpr std::uint64_t most_table_rows = std::uint64_t{1} << 31;
inline constexpr std::uint64_t most_stream_rows = std::uint64_t{1} << 32;

/// Throws InvalidOptions naming the setting that is out of range.
void check_candidate_options(const CandidateOptions& options, std::uint64_t most_rows = most_table_rows);

/// Whether the candidates of this space and these options are one fixed set (a pool or an enumeration).
bool fixed_candidates(const Space& space, const CandidateOptions& options, std::uint64_t most_rows = most_table_rows);

enum class CandidateKind { pool, enumeration, sample };

/// Which of the three the options ask for. Throws InvalidOptions where they contradict the space or each other.
CandidateKind candidate_kind(const Space& space, const CandidateOptions& options, std::uint64_t most_rows);

/// How many rows of a sample are perturbations of centres; at least one is left to Sobol points. Throws
/// InvalidConfiguration where a centre lies outside the space.
std::size_t local_count(const Space& space, const CandidateOptions& options, const LocalCentres& centres);

/// Ω̃ for iteration `round` (below 2^32): the pool; else the enumeration where the source asks for it or,
/// automatically, where it is small enough; else scrambled Sobol points snapped to the space, a `local_share` of them
/// replaced by perturbations of `centres` (none where it is empty). Rows that repeat an earlier row or violate a
/// constraint are dropped; up to 64 · count Sobol points are tried to replace them. Throws InvalidSpace where nothing
/// satisfies the constraints, InvalidPool where the pool was made for another space, InvalidOptions where an
/// enumeration is asked for and the space is infinite or too large.
CandidateTable make_candidate_table(const Space& space, const CandidateOptions& options, std::uint64_t seed,
                                    std::uint64_t round, const LocalCentres& centres);

/// The `draw`-th uniform configuration of Ω (numbers), by a counter-based generator: draw i is the same
/// whatever was drawn before. Constraints hold by rejection; nullopt where 10,000 tries in a row fail.
std::optional<std::vector<double>> uniform_draw(const Space& space, std::uint64_t seed, std::uint64_t draw);

}  // namespace carbo::internal
