#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <carbo/carbo.h>
#include <carbo/options.hpp>

#include "c/enumerators.hpp"
#include "c/status.hpp"

// Parts of what an optimizer is made of and made again of. `field` names them in messages.
namespace carbo::internal::c {

/// Of an array that is given with its size.
template <class Element>
std::span<const Element> elements(const Element* data, int64_t size, const char* name, const char* size_name) {
  const std::size_t given = count(size, size_name);
  if (given > 0) require_pointer(data, name);
  return {data, given};
}

/// Throws CARBO_NULL_POINTER where there is no function.
Space::Predicate predicate(const carbo_constraint& given, const std::string& field);
std::string description(const carbo_constraint& given);
/// Absent where nothing is given.
std::optional<Quantity> quantity(const carbo_quantity& given, std::size_t pool_rows, const std::string& field);
/// Adds those of the networks that are given. Throws where a shape is none.
void append_network_features(const carbo_cost_options& given, std::size_t pool_rows,
                             std::vector<CostFeature>& features);
/// Null where neither rows nor a file are given. `prefix` comes before the names of both.
std::shared_ptr<const Pool> pool(const double* numbers, int64_t rows, const char* file, const Space& space,
                                 const std::string& prefix);
BackendOptions backend_options(const carbo_backend_options& given);

}  // namespace carbo::internal::c
