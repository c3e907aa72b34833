// What somebody may change of a study while others run it.

#include <cmath>

#include <carbo/error.hpp>

#include "study/definition_rows.hpp"
#include "study/study_state.hpp"
#include "study/summaries.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Query;
using internal::text;
using internal::Transaction;

void Study::State::pause() {
  Transaction transaction(*database_, Transaction::Kind::write);
  Query(*database_, "INSERT INTO attributes VALUES (?1, 'carbo.paused', ?2) ON CONFLICT DO NOTHING", study_, now())
      .run();
  transaction.commit();
}

void Study::State::resume() {
  Transaction transaction(*database_, Transaction::Kind::write);
  Query(*database_, "DELETE FROM attributes WHERE study = ?1 AND key = 'carbo.paused'", study_).run();
  transaction.commit();
}

std::optional<double> Study::State::paused() { return internal::paused_since(*database_, study_); }

void Study::State::change_limits(const StudyLimits& limits) {
  if (limits.budget && !(std::isfinite(*limits.budget) && *limits.budget > 0))
    throw InvalidOptions(text("budget is ", *limits.budget, "; give a finite number above 0, in units of cost"));
  if (limits.max_evaluations && *limits.max_evaluations == 0)
    throw InvalidOptions("max_evaluations is 0; give at least 1");
  Transaction transaction(*database_, Transaction::Kind::write);
  const internal::DefinitionText stored = internal::read_text(*database_, study_);
  internal::store_definition(*database_, study_, internal::with_limits(stored, limits), stored);
  transaction.commit();
  refresh();
}

}  // namespace carbo
