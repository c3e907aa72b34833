#pragma once

#include <cstdint>
#include <string>

#include <carbo/space.hpp>

#include "study/database.hpp"

namespace carbo::internal {

/// Of the files that are written; docs/study.md describes it. A file of an older one is brought up to it when it is
/// opened for writing.
inline constexpr int schema_version = 1;

/// Throws StorageError where the file is of a newer version, or is another program's. `empty_is_new`: whether a file
/// without anything in it becomes one for studies.
void prepare_schema(Database& database, bool empty_is_new);

/// Makes the table of a study's parameters, and its view with a column for each, anew. In a transaction.
void describe_parameters(Database& database, std::int64_t study, const std::string& name, const Space& space);
void drop_view(Database& database, std::int64_t study);

}  // namespace carbo::internal
