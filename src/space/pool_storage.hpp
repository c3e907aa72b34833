#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/space.hpp>

#include "space/mapped_file.hpp"

namespace carbo::internal {

/// The rows of a pool, in memory or mapped, and the parameters that they were checked against.
struct PoolStorage {
  std::vector<Parameter> parameters;
  std::vector<double> held;        ///< rows × parameters, no −0; empty where a file is mapped
  std::optional<MappedFile> file;  ///< rows × parameters

  /// rows × parameters.
  std::span<const double> numbers() const;
  /// Gives back the memory of a range of mapped numbers; nothing where they are held.
  void release(std::size_t first, std::size_t count) const noexcept;
  /// `row 3, parameter 'x': ` and what is wrong with the first number that does not belong; empty where all belong.
  /// Keeps little of a mapped file in memory. As many `tested` parameters as the rows have.
  std::string fault(std::span<const Parameter> tested) const;
};

}  // namespace carbo::internal
