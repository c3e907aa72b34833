#pragma once

#include <cstdint>

#include "study/database.hpp"
#include "study/definition.hpp"

namespace carbo::internal {

/// Space and options of a study. Throws StorageError where it is not there any more.
DefinitionText read_text(Database& database, std::int64_t study);

/// Has a study go on with another definition, in a transaction. Where limits alone differ the optimizer's state is
/// kept, with these; otherwise one is made anew of all that was observed.
void store_definition(Database& database, std::int64_t study, const DefinitionText& given,
                      const DefinitionText& stored);

}  // namespace carbo::internal
