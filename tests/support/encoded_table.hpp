#pragma once

#include <numeric>
#include <vector>

#include "space/candidates.hpp"

namespace carbo::test {

/// Encodings of all rows of a table, row-major: those of its Sobol points by their recipe.
inline std::vector<double> encoded(const internal::CandidateTable& table) {
  const internal::SobolShare& sobol = table.sobol;
  std::vector<std::uint32_t> indices = sobol.indices;
  if (indices.empty()) {
    indices.resize(sobol.rows);
    std::iota(indices.begin(), indices.end(), sobol.first);
  }
  std::vector<double> columns(sobol.rows * table.columns), rows;
  internal::encode_sobol_points(sobol.recipe, indices, columns.data(), sobol.rows);
  for (std::size_t row = 0; row < sobol.rows; ++row)
    for (std::size_t c = 0; c < table.columns; ++c) rows.push_back(columns[c * sobol.rows + row]);
  rows.insert(rows.end(), table.encoded.begin(), table.encoded.end());
  return rows;
}

}  // namespace carbo::test
