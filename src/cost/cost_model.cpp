#include "cost/cost_model.hpp"

#include "cost/known.hpp"
#include "cost/log_gp.hpp"

namespace carbo::internal {

std::unique_ptr<CostModel> make_cost_model(const Space& space, const CostOptions& options, Backend& backend) {
  if (options.known) return std::make_unique<KnownCost>(space, options.known, backend);
  return std::make_unique<LogGpCost>(space, options, backend);
}

}  // namespace carbo::internal
