#pragma once

#include <memory>

#include "backend/candidate_backend.hpp"
#include "space/candidates.hpp"

namespace carbo::internal {

/// The backend's set of a table's rows. Sobol points are made where they are wanted; other rows are handed over.
inline std::unique_ptr<CandidateSet> make_candidates(CandidateBackend& backend, const CandidateTable& table) {
  const MatrixView others{table.encoded.data(), table.rows - table.sobol.rows, table.columns};
  if (table.sobol.rows == 0) return backend.make_candidates(others);
  SobolRows rows;
  rows.recipe = &table.sobol.recipe;
  rows.first = table.sobol.first;
  rows.points = table.sobol.rows;
  rows.indices = table.sobol.indices;
  rows.others = others;
  return backend.make_candidates(rows);
}

}  // namespace carbo::internal
