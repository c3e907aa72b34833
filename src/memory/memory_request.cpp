#include "memory/memory_request.hpp"

#include <algorithm>

#include "cost/cost_model.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

MemoryRequest model_memory(const Space& space, const SurrogateOptions& surrogate, const CostOptions& cost,
                           const FantasyOptions& fantasies, std::size_t threads) {
  MemoryRequest request;
  request.parameters = space.parameters().size();
  request.columns = space.encoded_columns();
  request.max_points = std::max(surrogate.max_points, cost.surrogate.max_points);
  request.fantasies = fantasies.count;
  request.factors = fantasies.mode == FantasyMode::batched ? fantasies.count : 1;
  request.cost_factors = cost_factors(cost);
  request.features = cost_features(space, cost);
  request.threads = thread_count(threads);
  request.restarts = std::max(surrogate.restarts, cost.surrogate.restarts);
  return request;
}

}  // namespace carbo::internal
