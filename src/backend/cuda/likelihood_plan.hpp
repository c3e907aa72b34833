#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/gp_factor.hpp"

namespace carbo::internal {

/// Columns of L⁻¹ and rows of K⁻¹ that one library call makes. Each call leaves out the zeros above its panel: for n
/// well above it, either takes little more than n³/6 multiply-adds, where one call for all would take n³/2 and n³.
inline constexpr std::size_t likelihood_panel = 128;

/// Elements a column of a matrix of so many rows: whole 32-byte sectors.
inline std::size_t likelihood_stride(std::size_t rows) { return (rows + 3) / 4 * 4; }

inline std::size_t likelihood_panels(std::size_t rows) { return (rows + likelihood_panel - 1) / likelihood_panel; }

/// Where the parts of one request lie in the workspace, in bytes. Requests over the same host memory share points,
/// targets or counts.
struct LikelihoodPlace {
  std::size_t request = 0;  ///< index among the requests
  std::size_t points = 0;   ///< as given
  std::size_t targets = 0;
  std::size_t counts = 0;  ///< where the request has them
  std::size_t inverse_lengthscales = 0;
  std::size_t scaled = 0;
  std::size_t factor = 0;
  std::size_t solved = 0;
  std::size_t partials = 0;
  std::size_t results = 0;
  std::size_t info = 0;
};

/// Places of equal rows; their factors are equally far apart, and so are their right-hand sides.
struct LikelihoodGroup {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t rows = 0;
  std::size_t stride = 0;  ///< elements a column
  /// In bytes: `count` pointers to factors; then for every panel as many to its part of L, and to its right-hand
  /// sides.
  std::size_t pointers = 0;

  std::size_t factor_elements() const { return stride * (rows + 1); }
  std::size_t solved_elements() const { return stride * (rows + 2); }
};

/// Requests that are computed at once. The first `upload_bytes` of the workspace come from the host.
struct LikelihoodChunk {
  std::vector<LikelihoodPlace> places;  ///< in the order of groups
  std::vector<LikelihoodGroup> groups;  ///< fewest rows first
  std::size_t tasks = 0;
  std::size_t gram_tasks = 0;
  std::size_t scale_tasks = 0;
  std::size_t upload_bytes = 0;
  std::size_t results = 0;
  std::size_t result_bytes = 0;
  std::size_t bytes = 0;
};

/// Splits the requests named in `which` into chunks of at most `limit` bytes each; a request that needs more by
/// itself is a chunk of its own. Throws OutOfMemory where a matrix fits no device.
std::vector<LikelihoodChunk> plan_likelihoods(std::span<const LikelihoodRequest> requests,
                                              std::span<const std::size_t> which, std::size_t limit);

}  // namespace carbo::internal
