#pragma once

#include <carbo/language.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace carbo {

/// Sizes that the memory of a search depends on.
struct MemoryRequest {
  std::uint64_t candidates = 0;
  std::size_t parameters = 0;
  std::size_t columns = 0;       ///< of an encoded candidate
  std::size_t observations = 0;  ///< of distinct points: rows that each model could learn from
  std::size_t copies = 0;        ///< further observations of the same points
  /// Rows that a model has at most, whatever memory there is.
  std::size_t max_points = std::numeric_limits<std::size_t>::max();
  std::size_t fantasies = 1;     ///< n_f
  std::size_t factors = 1;       ///< of the objective: 1, or n_f with FantasyMode::batched
  std::size_t cost_factors = 1;  ///< GPs of the cost: none, one, or two that compete
  std::size_t features = 0;      ///< of a candidate, for linear costs, and its known part
  std::size_t batch = 1;         ///< points suggested or running at once
  std::size_t threads = 1;       ///< of the CPU backend; decides nothing but how many of them work
  std::size_t restarts = 4;      ///< starts of a fit, which the CUDA backend computes at once
  bool on_device = false;        ///< the CUDA backend: the budget is device memory
  bool may_stream = true;        ///< whether candidates that do not fit may be made tile by tile
  std::size_t budget = 0;        ///< bytes
};

/// What a search keeps and what it computes again. A function of the request alone. Candidates, tiles and models are
/// planned for four threads, however many there are: where there is no room for more, no more work.
struct MemoryPlan {
  /// Where false, all candidates and their posterior are kept from pick to pick. Where true they are made and scored
  /// tile by tile, once for every pick, and repeated candidates are not dropped.
  bool streamed = false;
  bool on_device = false;  ///< bytes are those of device memory
  std::uint64_t candidates = 0;
  std::size_t points = 0;             ///< distinct ones that were observed
  std::size_t model_points = 0;       ///< of these, that each model keeps: a subset where all would not fit
  std::size_t threads = 0;            ///< of the CPU backend that work at once
  std::size_t tile = 0;               ///< candidates held at once
  std::size_t sample = 0;             ///< candidates, evenly spaced, that the initial design and uniform draws see
  std::size_t observation_bytes = 0;  ///< what was told, and what models keep of it beside their factors
  std::size_t model_bytes = 0;        ///< factors of both models, and what fitting them needs
  std::size_t fit_bytes = 0;          ///< of these: matrices of likelihoods that are computed at once
  std::size_t scratch_bytes = 0;      ///< of all threads, or of the device's libraries and panels
  std::size_t candidate_bytes = 0;    ///< of the tile: configurations (on the CPU), encodings, panels, features
  std::size_t posterior_bytes = 0;    ///< of the tile: means, variances, bounds, log costs
  std::size_t total_bytes() const {
    return observation_bytes + model_bytes + scratch_bytes + candidate_bytes + posterior_bytes;
  }

  /// A few lines for people.
  std::string describe() const;
};

/// Bytes below which there is no plan: models of 64 points (or all, where there are fewer) and a tile of 4,096
/// candidates (or all).
std::size_t least_memory(const MemoryRequest& request);

/// Models come first: all points where they fit beside the smallest tile, then as many candidates as fit beside the
/// models. Where they do not, candidates get up to a quarter of the budget, and models as many points as fit beside
/// these. Throws InvalidOptions where there is no plan, naming the bytes that would do.
MemoryPlan plan_memory(const MemoryRequest& request);

}  // namespace carbo
