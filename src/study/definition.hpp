#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <carbo/options.hpp>
#include <carbo/restore.hpp>
#include <carbo/space.hpp>

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

}  // namespace carbo::internal
