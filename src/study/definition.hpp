#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/study.hpp>

#include "support/tree.hpp"

namespace carbo::internal {

/// Space and options of a study as texts (JSON, as in the state of an optimizer).
struct DefinitionText {
  std::string space;
  std::string options;
  std::int64_t version = 0;           ///< of the study's row
  std::optional<std::string> pool{};  ///< its rows where they are few, or their number and hash
};

DefinitionText text_of(const Space& space, const Options& options);

struct Definition {
  Space space;
  Options options;
  std::vector<std::string> missing;  ///< code that was not given, in words
};

/// Throws InvalidState where the texts are none.
Definition read_definition(const DefinitionText& text, const RestoreOptions& given);

/// Why a study cannot go on with a space and options, one line each; empty where it can.
std::vector<std::string> conflicts(const DefinitionText& stored, const Space& space, const Options& options);

/// Whether an optimizer of the one definition can go on with the other: all but the backend is the same.
bool same_run(const DefinitionText& a, const DefinitionText& b);

/// Options that say when a run ends, and nothing else that an optimizer remembers.
inline constexpr std::array<std::string_view, 3> limit_names{"budget", "max_evaluations", "target"};
/// Whether an optimizer can go on once it knows the other limits.
bool same_but_limits(const DefinitionText& a, const DefinitionText& b);
StudyLimits limits_of(const DefinitionText& definition);
/// The same with the limits that are there.
DefinitionText with_limits(DefinitionText definition, const StudyLimits& limits);

/// The value of a name; null where there is none.
Tree* member_of(Tree::Object& object, std::string_view key);

}  // namespace carbo::internal
