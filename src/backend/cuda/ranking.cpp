#include "backend/cuda/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "formulas/sort_keys.hpp"
#include "launch/scores.cuh"
#include "launch/search_lists.cuh"
#include "launch/sorting.cuh"

namespace carbo::internal {

std::vector<Scored> rank_candidates(const Context& context, const kernels::ScoreView& view, std::size_t size,
                                    std::size_t count) {
  const cudaStream_t stream = context.stream();
  auto scores = context.buffer<double>(size);
  auto keys = context.buffer<std::uint64_t>(2 * size);
  auto indices = context.buffer<std::uint32_t>(2 * size);
  context.check(kernels::launch_scores(stream, view, 0, size, scores.data()), "exact scores");
  context.check(kernels::launch_rank_keys(stream, view, scores.data(), size, keys.data(), indices.data()),
                "keys of scores");
  const auto sort = [&](void* room, std::size_t& bytes) {
    context.check(kernels::sort_by_key(stream, room, bytes, keys.data(), keys.data() + size, indices.data(),
                                       indices.data() + size, size),
                  "sorting scores");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  auto room = context.buffer<std::byte>(bytes);
  sort(room.data(), bytes);
  std::vector<std::uint64_t> best_keys(std::min(count, size));
  std::vector<std::uint32_t> best_indices(best_keys.size());
  context.download(std::span<std::uint64_t>(best_keys), keys.data() + size);
  context.download(std::span<std::uint32_t>(best_indices), indices.data() + size);
  std::vector<Scored> ranked;
  for (std::size_t i = 0; i < best_keys.size() && best_keys[i] != kernels::no_rank_key; ++i)
    ranked.push_back({best_indices[i], kernels::value_of_descending_key(best_keys[i])});
  return ranked;
}

}  // namespace carbo::internal
