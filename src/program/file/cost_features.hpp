#pragma once

#include <string>

#include <carbo/restore.hpp>

#include "program/file/node.hpp"
#include "program/file/tables.hpp"
#include "support/tree.hpp"

namespace carbo::program {

/// A number, arithmetic in quotes, or {column = "name of a column of the pool"}, as the library reads it. A column
/// goes to `given` under `name`. Throws StudyFileError.
internal::Tree quantity_tree(const Document& document, const Node& node, const std::string& name,
                             const PoolTable& pool, RestoreOptions& given);

/// An array of features: arithmetic, {work = ...} or {value = ...} with a name, {mlp = {...}}, {cnn = {...}}. Throws
/// StudyFileError.
internal::Tree features_tree(const Document& document, const Node& node, const PoolTable& pool,
                             RestoreOptions& given);

}  // namespace carbo::program
