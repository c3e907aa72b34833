#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <carbo/options.hpp>
#include <carbo/space.hpp>

#include "space/candidates.hpp"
#include "space/row_source.hpp"

namespace carbo::internal {

/// Ω̃ that is never held whole: row i, below 2^32, is a function of i alone. Repeats are not dropped.
class CandidateStream {
 public:
  /// Keeps what it needs of the space; `source` gives rows of its numbers, which are the caller's pool or not. Its
  /// first rows are `sobol`'s points, from index 0 on.
  CandidateStream(const Space& space, std::unique_ptr<const RowSource> source, SobolShare sobol, bool pool);

  std::uint64_t size() const { return source_->size(); }
  /// Whether row i is row i of the caller's pool.
  bool pool() const { return pool_; }
  /// Which rows are Sobol points; none of a pool or an enumeration.
  const SobolShare& sobol() const { return sobol_; }
  std::size_t parameters() const { return axes_.size(); }
  std::size_t columns() const { return space_.encoded_columns(); }

  /// Rows [first, first + allowed.size()): their numbers (rows × parameters), their encodings (rows × columns;
  /// nothing where these are not wanted) and 1 where they satisfy the constraints, 0 where not. Throws InvalidOptions
  /// where a span has another size or the rows pass the end. Thread-safe, also with spans of one tile that do not
  /// overlap; the same row has the same bits however rows are split into calls. Allocates nothing unless the space is
  /// constrained.
  void fill(std::uint64_t first, std::span<double> numbers, std::span<double> encoded,
            std::span<std::uint8_t> allowed) const;

 private:
  void fill_chunk(std::uint64_t first, std::span<double> numbers, std::span<double> encoded,
                  std::span<std::uint8_t> allowed) const;

  Space space_;  ///< keeps alive the parameters that axes and source refer to
  std::vector<Axis> axes_;
  std::unique_ptr<const RowSource> source_;
  SobolShare sobol_;
  bool pool_;
};

/// The rows that make_candidate_table would offer: every row of the pool, in order; or every configuration, by mixed
/// radix; or `count` rows, first Sobol points by index, then a `local_share` of perturbations of `centres`. Up to
/// 2^32 rows. Throws what make_candidate_table throws, except that no allowed row at all is not an error here.
CandidateStream make_candidate_stream(const Space& space, const CandidateOptions& options, std::uint64_t seed,
                                      std::uint64_t round, const LocalCentres& centres);

/// About `rows` of the stream's rows in evenly spaced runs, without those that violate a constraint or repeat an
/// earlier one. Throws InvalidSpace where none is allowed.
CandidateTable sampled_table(const Space& space, const CandidateStream& stream, std::size_t rows);

}  // namespace carbo::internal
