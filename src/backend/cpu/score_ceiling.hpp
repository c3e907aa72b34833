#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "backend/cpu/lazy_field.hpp"
#include "backend/cpu/norm_table.hpp"
#include "backend/cpu/score.hpp"

namespace carbo::internal {

enum class Until { now, horizon };
/// Where candidates that are looked at together come from.
enum class From { anywhere, one_panel };

/// What ceilings are made of.
struct CeilingContext {
  const ScoreRequest& request;
  std::span<const std::unique_ptr<LazyField>> fields;
  const NormTable& norms;
  std::span<const std::uint32_t> versions;  ///< fantasised points that each candidate has seen
  const LazyField* cost = nullptr;          ///< where the variance of the log cost may be unfinished
  double shift = 0;                         ///< see ProofBackend
};

/// Upper bounds on the scores of at most panel_width candidates, `until` then. Those below `cut` may be looser than
/// others: whoever is below it by one bound for all fantasies gets no other.
void ceilings_of(const CeilingContext& context, Until until, ScratchPool& scratch, Gathered gathered, From from,
                 double cut, double* out);

}  // namespace carbo::internal
