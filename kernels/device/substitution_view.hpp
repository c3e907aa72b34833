#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device_views.hpp"

namespace carbo::kernels {

/// Rows of L⁻¹, and candidates, that are multiplied together.
inline constexpr int substitution_block = 32;

/// Posterior of one GP over all candidates, as v = L⁻¹k fills it in.
struct VarianceTarget {
  double* bases = nullptr;          ///< squared_scale · (k(x,x) − ‖v‖²) over the rows that are solved
  std::uint32_t* solved = nullptr;  ///< rows that a base is made of; null: not kept
  double squared_scale = 1;
};

struct SubstitutionTask {
  GpView gp;  ///< with its inverse above L
  VarianceTarget target;
  const double* inverse_blocks = nullptr;  ///< those on the diagonal; see launch_inverse
};

/// Where tiles of candidates are worked on, `slots` at a time, by all blocks of threads together. Steps are taken in
/// the order of a ticket, and wait only for steps of lower tickets, which others have taken: any number of blocks
/// gets through, resident or not.
struct SubstitutionView {
  double* workspace = nullptr;   ///< substitution_workspace for each slot
  unsigned* progress = nullptr;  ///< substitution_progress; zero before the first launch, and after every one
  int slots = 2;                 ///< an even number
  int blocks = 1;                ///< of threads
};

}  // namespace carbo::kernels
