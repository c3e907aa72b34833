#include "engine/observation_checks.hpp"

#include <cmath>
#include <limits>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {

std::string Subject::words() const {
  if (const auto* const suggestion = std::get_if<std::uint64_t>(&of_)) return text("suggestion ", *suggestion);
  return text("configuration ", std::get<const Configuration*>(of_)->to_string());
}

void check_objective(double objective, Transform transform, const Subject& subject) {
  if (!std::isfinite(objective)) {
    throw InvalidObservation(text(subject.words(), ": the objective is ", objective,
                                  "; give a finite number, or report the evaluation with fail"));
  }
  if (transform == Transform::log && !(objective > 0)) {
    throw InvalidObservation(text(subject.words(), ": the objective is ", objective,
                                  ", which has no logarithm; use Transform::automatic, none or rank, or report the "
                                  "evaluation with fail"));
  }
}

void check_cost(double cost, const Subject& subject) {
  if (std::isfinite(cost) && cost > 0) return;
  throw InvalidObservation(
      text(subject.words(), ": the cost is ", cost, "; give a finite number above 0, in units of the budget"));
}

void check_failure_cost(double cost, bool timed_out, const Subject& subject) {
  const bool valid = std::isfinite(cost) && (timed_out ? cost > 0 : cost >= 0);
  if (valid) return;
  throw InvalidObservation(text(subject.words(), ": a failure's cost is ", cost, "; give a finite number ",
                                timed_out ? "above 0" : "of at least 0", ", in units of the budget"));
}

void check_told(const Observation& told, Transform transform) {
  const Subject subject(told.configuration);
  if (told.batch == std::numeric_limits<std::uint64_t>::max()) {
    throw InvalidObservation(text(subject.words(), ": the batch is ", *told.batch, ", which no batch can follow"));
  }
  const bool success = told.status == ObservationStatus::succeeded;
  const bool timed_out = told.status == ObservationStatus::timed_out;
  const bool prior = told.origin == Origin::prior;
  if (success) check_objective(told.objective, transform, subject);
  if (prior && !timed_out && std::isnan(told.cost)) return;
  if (prior && success && told.cost == 0) {
    throw InvalidObservation(text(subject.words(),
                                  ": the cost is 0; give a finite number above 0, in units of the budget, or, where "
                                  "it is not known, tell_prior the objective alone"));
  }
  if (success)
    check_cost(told.cost, subject);
  else
    check_failure_cost(told.cost, timed_out, subject);
}

}  // namespace carbo::internal
