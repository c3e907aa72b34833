#include <carbo/json.hpp>

#include "engine/observation_tree.hpp"
#include "space/space_tree.hpp"
#include "support/calls.hpp"

namespace carbo {
namespace {

template <class T>
std::string written(const T& value) {
  return internal::with_typed_exhaustion([&] { return internal::to_line(internal::tree_of(value)); });
}

/// `read` of the tree, of which nothing may be left over.
template <class Read>
auto parsed(std::string_view json, const Read& read) {
  return internal::with_typed_exhaustion([&] {
    const internal::Tree tree = internal::parse_tree(json);
    auto value = read(internal::TreeReader(tree));
    internal::refuse_unread(tree);
    return value;
  });
}

}  // namespace

std::string to_json(const Configuration& configuration) { return written(configuration); }
std::string to_json(const Observation& observation) { return written(observation); }
std::string to_json(const Receipt& receipt) { return written(receipt); }
std::string to_json(const Suggestion& suggestion) { return written(suggestion); }

Configuration configuration_from_json(const Space& space, std::string_view json) {
  return parsed(json, [&](const auto& reader) { return internal::read_configuration(reader, space); });
}

Observation observation_from_json(const Space& space, std::string_view json) {
  return parsed(json, [&](const auto& reader) { return internal::read_observation(reader, space); });
}

Receipt receipt_from_json(std::string_view json) {
  return parsed(json, [](const auto& reader) { return internal::read_receipt(reader); });
}

Suggestion suggestion_from_json(const Space& space, std::string_view json) {
  return parsed(json, [&](const auto& reader) { return internal::read_suggestion(reader, space); });
}

}  // namespace carbo
