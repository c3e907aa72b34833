#include "cost/cost_model.hpp"

#include <algorithm>
#include <string>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "cost/known.hpp"
#include "cost/learned_cost.hpp"

namespace carbo::internal {
namespace {

void check(const CostOptions& options) {
  const bool linear = options.model == CostModelKind::linear || options.model == CostModelKind::linear_mean_gp;
  const std::string kind = to_string(options.model);
  if (linear && options.features.empty()) {
    throw InvalidOptions("cost.model is " + kind +
                         ", but cost.features is empty; give at least one, such as "
                         "carbo::work(\"epochs\")");
  }
  if (options.model == CostModelKind::known && !options.known) {
    throw InvalidOptions("cost.model is known, but cost.known is not given");
  }
  if (!options.known) return;
  if (options.model != CostModelKind::known && options.model != CostModelKind::automatic) {
    throw InvalidOptions("cost.known is given, but cost.model is " + kind +
                         "; use known or automatic, or give it as cost.known_part");
  }
  if (options.known_part) {
    throw InvalidOptions(
        "cost.known and cost.known_part are both given; the first is the cost itself, the second a "
        "factor of a cost that is learned");
  }
}

bool uses_pool_column(const Quantity& quantity) {
  if (std::holds_alternative<Quantity::Column>(quantity.source())) return true;
  const auto* sum = std::get_if<Quantity::Sum>(&quantity.source());
  return sum != nullptr && std::ranges::any_of(*(*sum)->parts, [](const SumOfProducts::Part& part) {
           return uses_pool_column(part.value);
         });
}

}  // namespace

bool uses_pool_column(const CostOptions& options) {
  const bool counts = options.model != CostModelKind::log_gp && !options.known;
  const bool in_features = counts && std::ranges::any_of(options.features, [](const CostFeature& feature) {
                             return uses_pool_column(feature.value);
                           });
  return in_features || (options.known && uses_pool_column(*options.known)) ||
         (options.known_part && uses_pool_column(*options.known_part));
}

std::size_t cost_factors(const CostOptions& options) {
  if (options.known || options.model == CostModelKind::linear) return 0;
  return options.model == CostModelKind::automatic ? 2 : 1;
}

std::size_t cost_features(const Space& space, const CostOptions& options) {
  if (options.known) return 1;
  const std::size_t known_part = options.known_part ? 1 : 0;
  if (options.model == CostModelKind::log_gp) return known_part;
  return known_part + (options.features.empty() ? space.parameters().size() : options.features.size());
}

std::unique_ptr<CostModel> make_cost_model(const Space& space, const CostOptions& options, Backend& backend,
                                           std::optional<std::size_t> pool_rows) {
  check(options);
  if (options.known) return std::make_unique<KnownCost>(space, *options.known, backend, pool_rows);
  return std::make_unique<LearnedCost>(space, options, backend, pool_rows);
}

}  // namespace carbo::internal
