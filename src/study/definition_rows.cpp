#include "study/definition_rows.hpp"

#include "study/state_text.hpp"

namespace carbo::internal {

DefinitionText read_text(Database& database, std::int64_t study) {
  Query query(database, "SELECT space, options, definition, pool FROM studies WHERE study = ?1", study);
  if (!query.next()) database.refuse("the study was removed while it was open");
  DefinitionText stored;
  stored.space = query.text(0);
  stored.options = query.text(1);
  stored.version = query.whole(2);
  if (!query.is_null(3)) stored.pool = query.text(3);
  return stored;
}

void store_definition(Database& database, std::int64_t study, const DefinitionText& given,
                      const DefinitionText& stored) {
  if (given.space == stored.space && given.options == stored.options) return;
  Query(database,
        "UPDATE studies SET space = ?2, options = ?3, budget = ?4, blocked = NULL, definition = definition + 1 WHERE "
        "study = ?1",
        study, given.space, given.options, limits_of(given).budget)
      .run();
  if (same_run(given, stored)) return;
  if (same_but_limits(given, stored)) {
    std::optional<std::string> state;
    {
      Query query(database, "SELECT state FROM states WHERE study = ?1", study);
      if (query.next()) state = query.text(0);
    }
    if (state)
      Query(database, "UPDATE states SET state = ?2 WHERE study = ?1", study, with_limits_of(*state, given.options))
          .run();
  } else {
    Query(database, "DELETE FROM states WHERE study = ?1", study).run();
  }
  // Suggestions that are being made by the other definition are not stored.
  Query(database, "UPDATE studies SET asks = asks + 1 WHERE study = ?1", study).run();
}

}  // namespace carbo::internal
