#include "engine/given_code.hpp"

#include <string>
#include <variant>

#include "cost/features.hpp"
#include "space/space_tree.hpp"

namespace carbo::internal {
namespace {

void add_code(const std::string& name, const Quantity& quantity, RestoreOptions& code) {
  if (const auto* const sum = std::get_if<Quantity::Sum>(&quantity.source())) {
    for (const SumOfProducts::Term& term : (*sum)->terms)
      for (const SumOfProducts::Factor& factor : term) {
        const SumOfProducts::Part& part = (*(*sum)->parts)[factor.part];
        add_code(name + ", " + part.name, part.value, code);
      }
    return;
  }
  const auto* const column = std::get_if<Quantity::Column>(&quantity.source());
  const bool is_long = column && (*column)->size() > most_numbers_kept;
  if (is_long || std::holds_alternative<Quantity::Function>(quantity.source()))
    code.quantities.emplace(name, quantity);
}

}  // namespace

RestoreOptions code_of(const Space& space, const Options& options) {
  RestoreOptions code;
  const std::vector<std::string> keys = constraint_keys(space.constraint_names());
  for (std::size_t i = 0; i < keys.size(); ++i) code.constraints.emplace(keys[i], space.constraints()[i]);
  if (options.cost.known) add_code("cost.known", *options.cost.known, code);
  if (options.cost.known_part) add_code("cost.known_part", *options.cost.known_part, code);
  for (std::size_t i = 0; i < options.cost.features.size(); ++i)
    add_code("cost.features[" + std::to_string(i) + "]", options.cost.features[i].value, code);
  code.pool = options.candidates.pool;
  code.backend = options.backend;
  return code;
}

}  // namespace carbo::internal
