#pragma once

#include <memory>
#include <string>
#include <vector>

#include <carbo/restore.hpp>
#include <carbo/space.hpp>

#include "support/tree_reader.hpp"

namespace carbo::internal {

/// What a state needs to be given again, and what of it was not.
struct GivenAgain {
  const RestoreOptions& options;
  std::vector<std::string> missing{};  ///< in words
  std::vector<std::string> used{};     ///< names of constraints and quantities
};

/// What constraints are given again under, one each: the second of one name is "name (2)".
std::vector<std::string> constraint_keys(const std::vector<std::string>& names);

/// Parameters, and the names of constraints.
Tree tree_of(const Space& space);
/// Throws InvalidState. A constraint that was not given is left out and listed.
Space read_space(const TreeReader& reader, GivenAgain& given);

/// Values by the names of parameters.
Tree tree_of(const Configuration& configuration);
/// Throws InvalidState, or InvalidConfiguration where it does not belong to the space.
Configuration read_configuration(const TreeReader& reader, const Space& space);

/// The rows of a pool that is small and in memory; of others, their number and a hash of the numbers.
Tree tree_of(const Pool& pool, std::uint64_t hash);
/// Null where it was not given.
std::shared_ptr<const Pool> read_pool(const TreeReader& reader, const Space& space, GivenAgain& given);
/// Of all numbers in their order (−0 counts as 0). A mapped file is read once and not kept in memory.
std::uint64_t content_hash(const Pool& pool);
std::uint64_t content_hash(std::span<const double> numbers);
/// Numbers of a pool, or of a column of one, that a state holds at most.
inline constexpr std::size_t most_numbers_kept = 65536;

}  // namespace carbo::internal
