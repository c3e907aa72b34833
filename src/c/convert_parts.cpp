#include "c/convert_parts.hpp"

#include <vector>

#include <carbo/error.hpp>

#include "c/convert.hpp"

namespace carbo::internal::c {

Space::Predicate predicate(const carbo_constraint& given, const std::string& field) {
  require_struct_size(given.struct_size, sizeof given, field.c_str());
  if (given.allowed == nullptr) throw Refusal(CARBO_NULL_POINTER, text(field, ".allowed is null; give a function"));
  return [call = given.allowed, state = given.state](const Configuration& point) {
    return call(state, point.numbers().data()) != 0;
  };
}

std::string description(const carbo_constraint& given) {
  return given.description != nullptr ? given.description : "constraint";
}

std::optional<Quantity> quantity(const carbo_quantity& given, std::size_t pool_rows, const std::string& field) {
  const int of = (given.expression != nullptr) + (given.function != nullptr) + (given.column != nullptr);
  if (of == 0) return std::nullopt;
  if (of > 1) throw InvalidOptions(text(field, " has more than one of expression, function and column; give one"));
  if (given.expression != nullptr) return Quantity(given.expression);
  if (given.column != nullptr)
    return Quantity::pool_column(std::vector<double>(given.column, given.column + pool_rows));
  return Quantity([function = given.function, state = given.state](const Configuration& point) {
    return function(state, point.numbers().data());
  });
}

std::shared_ptr<const Pool> pool(const double* numbers, int64_t rows, const char* file, const Space& space,
                                 const std::string& prefix) {
  if (numbers != nullptr && file != nullptr)
    throw InvalidOptions(text(prefix, "pool and ", prefix, "pool_file are both given; give one"));
  const std::size_t size = count(rows, (prefix + "pool_rows").c_str());
  if (size > 0) require_pointer(numbers, (prefix + "pool").c_str());
  if (file != nullptr) return std::make_shared<const Pool>(Pool::map(space, file));
  if (numbers == nullptr) return nullptr;
  return std::make_shared<const Pool>(space, std::span(numbers, size * space.parameters().size()), size);
}

BackendOptions backend_options(const carbo_backend_options& given) {
  BackendOptions options;
  options.kind = enumerated(given.kind, last_backend, "backend.kind");
  options.threads = count(given.threads, "backend.threads");
  options.tile = count(given.tile, "backend.tile");
  options.memory_bytes = count(given.memory_bytes, "backend.memory_bytes");
  options.device = given.device;
  return options;
}

}  // namespace carbo::internal::c
