#include <utility>
#include <vector>

#include <carbo/error.hpp>

#include "c/convert.hpp"
#include "c/convert_parts.hpp"
#include "engine/state_format.hpp"
#include "space/space_tree.hpp"

namespace carbo::internal::c {
namespace {

/// Without its constraints, which a pool does not look at.
Space space_of(std::string_view state) {
  const Tree tree = parse_tree(state);
  const TreeReader reader(tree);
  check_state_version(reader);
  const RestoreOptions nothing;
  GivenAgain given{nothing};
  return read_space(reader.at("space"), given);
}

/// By the names that a state has for constraints of these descriptions in this order.
std::map<std::string, Space::Predicate> constraints_by_name(const carbo_restore_options& given) {
  std::vector<Space::Predicate> predicates;
  std::vector<std::string> descriptions;
  for (const carbo_constraint& one :
       elements(given.constraints, given.constraint_count, "constraints", "constraint_count")) {
    predicates.push_back(predicate(one, text("constraints[", predicates.size(), "]")));
    descriptions.push_back(description(one));
  }
  const std::vector<std::string> names = constraint_keys(descriptions);
  std::map<std::string, Space::Predicate> by_name;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!by_name.emplace(names[i], std::move(predicates[i])).second)
      throw InvalidOptions(text("constraints[", i, "] is the second that is named '", names[i], "'; give each once"));
  return by_name;
}

std::map<std::string, Quantity> quantities_by_name(const carbo_restore_options& given, std::size_t pool_rows) {
  std::map<std::string, Quantity> by_name;
  for (const carbo_named_quantity& one :
       elements(given.quantities, given.quantity_count, "quantities", "quantity_count")) {
    const std::string field = text("quantities[", by_name.size(), "]");
    require_struct_size(one.struct_size, sizeof one, field.c_str());
    require_pointer(one.name, (field + ".name").c_str());
    if (one.value.column != nullptr && pool_rows == 0)
      throw InvalidOptions(text(field, ".value.column is given without a pool; give its pool as well"));
    std::optional<Quantity> value = quantity(one.value, pool_rows, field + ".value");
    if (!value) throw InvalidOptions(text(field, ".value is empty; give a function or a column"));
    if (!by_name.emplace(one.name, *std::move(value)).second)
      throw InvalidOptions(text(field, " is the second that is named '", one.name, "'; give each once"));
  }
  return by_name;
}

}  // namespace

RestoreOptions restore_options(const carbo_restore_options* given, std::string_view state) {
  RestoreOptions options;
  if (given == nullptr) return options;
  require_struct_size(given->struct_size, sizeof *given, "options");
  options.count_time_between = flag(given->count_time_between, "count_time_between");
  options.constraints = constraints_by_name(*given);
  if (given->pool != nullptr || given->pool_rows != 0 || given->pool_file != nullptr)
    options.pool = pool(given->pool, given->pool_rows, given->pool_file, space_of(state), "");
  options.quantities = quantities_by_name(*given, options.pool ? options.pool->size() : 0);
  if (given->backend != nullptr) options.backend = backend_options(*given->backend);
  return options;
}

}  // namespace carbo::internal::c
