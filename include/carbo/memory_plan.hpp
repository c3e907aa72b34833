#pragma once

#include <carbo/language.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace carbo {

/// Sizes that the memory of a search depends on.
struct MemoryRequest {
  std::uint64_t candidates = 0;
  std::size_t parameters = 0;
  std::size_t columns = 0;       ///< of an encoded candidate
  std::size_t observations = 0;  ///< rows of each model
  std::size_t fantasies = 1;     ///< n_f
  std::size_t factors = 1;       ///< of the objective: 1, or n_f with FantasyMode::batched
  std::size_t cost_factors = 1;  ///< GPs of the cost: none, one, or two that compete
  std::size_t features = 0;      ///< of a candidate, for linear costs, and its known part
  std::size_t batch = 1;         ///< points suggested or running at once
  std::size_t threads = 1;       ///< of the CPU backend
  std::size_t restarts = 4;      ///< starts of a fit, which the CUDA backend computes at once
  bool on_device = false;        ///< the CUDA backend: the budget is device memory
  std::size_t budget = 0;        ///< bytes
};

/// What a search keeps and what it computes again. A function of the request alone.
struct MemoryPlan {
  /// Where false, all candidates and their posterior are kept from pick to pick. Where true they are made and scored
  /// tile by tile, once for every pick, and repeated candidates are not dropped.
  bool streamed = false;
  bool on_device = false;  ///< bytes are those of device memory
  std::uint64_t candidates = 0;
  std::size_t tile = 0;             ///< candidates held at once
  std::size_t sample = 0;           ///< candidates, evenly spaced, that the initial design and uniform draws see
  std::size_t model_bytes = 0;      ///< factors of both models, and what fitting them needs
  std::size_t scratch_bytes = 0;    ///< of all threads, or of the device's libraries and panels
  std::size_t candidate_bytes = 0;  ///< of the tile: configurations (on the CPU), encodings, panels, features
  std::size_t posterior_bytes = 0;  ///< of the tile: means, variances, bounds, log costs
  std::size_t total_bytes() const { return model_bytes + scratch_bytes + candidate_bytes + posterior_bytes; }

  /// A few lines for people.
  std::string describe() const;
};

/// Bytes below which there is no plan: the models and a tile of 4,096 candidates.
std::size_t least_memory(const MemoryRequest& request);

/// Throws InvalidOptions where not even a tile of 4,096 candidates fits, naming the bytes that would.
MemoryPlan plan_memory(const MemoryRequest& request);

}  // namespace carbo
