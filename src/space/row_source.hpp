#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <carbo/space.hpp>

#include "space/axis.hpp"
#include "space/candidates.hpp"
#include "space/sobol_recipe.hpp"

namespace carbo::internal {

/// Rows that are worth reading at once: a tile that stays in cache, and enough to hide what a call costs.
inline constexpr std::size_t rows_at_once = 1024;

/// Configurations by row number, before constraints and with repeats: row i is a function of i alone. Refers to the
/// space that it was made for. Thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// At most 2^32.
  virtual std::uint64_t size() const = 0;
  /// Numbers of the rows from `first` on, as many as fit exactly; canonical (no −0). All rows must exist.
  virtual void read(std::uint64_t first, std::span<double> numbers) const = 0;
};

/// Every row of the pool. A mapped pool's pages are given back as soon as they are read. Throws InvalidPool where the
/// pool was made for another space and its rows do not fit this one.
std::unique_ptr<const RowSource> pool_rows(const Space& space, std::shared_ptr<const Pool> pool);

/// Every configuration of a finite space by mixed radix, the last parameter fastest.
std::unique_ptr<const RowSource> enumerated_rows(const Space& space);

/// Owen-scrambled Sobol points snapped to the space; row i is point i of the recipe, which was made for the space.
std::unique_ptr<const RowSource> sobol_rows(const Space& space, std::uint64_t size, const SobolRecipe& recipe);

/// First attempts at perturbing the centres (at least one, checked).
std::unique_ptr<const RowSource> local_rows(const Space& space, std::uint64_t size, LocalCentres centres,
                                            std::uint64_t seed, std::uint64_t round);

/// All rows of one source, then all of another.
std::unique_ptr<const RowSource> joined_rows(std::size_t parameters, std::unique_ptr<const RowSource> head,
                                             std::unique_ptr<const RowSource> tail);

}  // namespace carbo::internal
