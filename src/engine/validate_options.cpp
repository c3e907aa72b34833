#include "engine/validate_options.hpp"

#include <cmath>

#include <carbo/error.hpp>
#include <carbo/optimizer.hpp>

#include "acquisition/choose.hpp"
#include "acquisition/fantasy_ensemble.hpp"
#include "engine/time_unit.hpp"
#include "space/candidates.hpp"
#include "space/checks.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

void require(bool valid, const std::string& message) {
  if (!valid) throw InvalidOptions(message);
}

void check_point(const Space& space, const Configuration& point, std::size_t i) {
  require(same_names(space.parameters(), point.parameters()),
          text("design.points[", i, "] (", point.to_string(), ") was made by a space with other parameters"));
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    const std::string fault = number_fault(space.parameters()[p], point.numbers()[p]);
    require(fault.empty(), text("design.points[", i, "], parameter '", space.parameters()[p].name(), "': ", fault));
  }
  const std::string violated = space.violated(space.configuration(point.numbers()));
  require(violated.empty(), text("design.points[", i, "] violates the constraint '", violated, "'"));
}

void check_design(const Space& space, const Options& options) {
  const DesignOptions& design = options.design;
  require(design.budget_share > 0 && design.budget_share < 1,
          text("design.budget_share is ", design.budget_share, "; give a share between 0 and 1, both excluded"));
  require(design.least_gain >= 0 && design.least_gain <= 1,
          text("design.least_gain is ", design.least_gain, "; give a share of the prior's variance, from 0 to 1"));
  const bool given = options.initial_design == InitialDesign::points;
  require(!given || !design.points.empty(),
          "initial_design is points, but design.points is empty; give at least one configuration");
  require(given || design.points.empty(),
          text("design.points holds ", design.points.size(), " configurations, but initial_design is not points"));
  for (std::size_t i = 0; i < design.points.size(); ++i) check_point(space, design.points[i], i);
}

void check_unit(const std::string& unit, Accounting accounting) {
  require(unit.find_first_not_of(" .,:()[]\t\n") != std::string::npos,
          text("cost.unit is '", unit, "'; name the unit of costs and budget, such as s"));
  const std::vector<std::string> near = near_time_units(unit);
  if (near.empty() || accounting == Accounting::sum) return;
  std::string names = near.front();
  for (std::size_t i = 1; i < near.size(); ++i) names += (i + 1 < near.size() ? ", " : " or ") + near[i];
  throw InvalidOptions(text("cost.unit is '", unit, "', which looks like a slip of ", names,
                            "; a unit of time is ns, us, ms, s, min, h, d or its name, and any other, such as EUR or "
                            "kWh, is summed; where it is meant as it is, say Accounting::sum"));
}

void check_evaluation(const EvaluationOptions& evaluation) {
  const auto above = [](const std::optional<double>& value, double least) {
    return !value || (std::isfinite(*value) && *value > least);
  };
  require(above(evaluation.timeout, 0), text("evaluation.timeout is ", evaluation.timeout.value_or(0),
                                             "; give a finite cost above 0, in units of the budget, or none"));
  require(above(evaluation.timeout_factor, 1),
          text("evaluation.timeout_factor is ", evaluation.timeout_factor.value_or(0),
               "; give a finite multiple of the predicted cost, above 1, or none"));
}

void check_stopping(const StoppingOptions& stopping, Acquisition acquisition) {
  if (!stopping.price) return;
  require(std::isfinite(*stopping.price) && *stopping.price > 0,
          text("stopping.price is ", *stopping.price,
               "; give the units of cost that a unit of the objective is worth, above 0, or none"));
  require(scores(acquisition), text("stopping.price is ", *stopping.price, ", but the acquisition is ",
                                    to_string(acquisition), ", which looks at no candidate's worth; give another"));
}

void check_batches(const Options& options) {
  if (options.batches == Batches::fixed) return;
  const std::string asked =
      text("batches is ", to_string(options.batches), ", which fills the time of a round, but ");
  require(options.execution == Execution::synchronous,
          text(asked,
               "execution is asynchronous, which has no rounds: a worker that ends gets its next point at once; "
               "give Execution::synchronous, or Batches::fixed"));
  require(options.accounting != Accounting::sum,
          text(asked, "costs (in ", options.cost.unit,
               ") are summed; give a unit of time and Accounting::longest, or Batches::fixed"));
}

}  // namespace

Accounting resolved_accounting(const Options& options) {
  const bool time = seconds_per_unit(options.cost.unit) > 0;
  if (options.accounting == Accounting::automatic) return time ? Accounting::longest : Accounting::sum;
  require(
      time || options.accounting == Accounting::sum,
      text("cost.unit '", options.cost.unit,
           "' is not a unit of time, so costs can only be summed; use Accounting::sum, or a unit such as s or h"));
  return options.accounting;
}

Options validated(const Space& space, Options options) {
  require(std::isfinite(options.budget) && options.budget > 0,
          text("budget is ", options.budget, "; give a finite number above 0, in units of cost"));
  require(options.batch_size >= 1 && options.batch_size <= Optimizer::most_running,
          text("batch_size is ", options.batch_size, "; give 1 to ", Optimizer::most_running));
  require(!options.max_evaluations || *options.max_evaluations >= 1, "max_evaluations is 0; give at least 1 or none");
  require(!options.target || std::isfinite(*options.target),
          text("target is ", options.target.value_or(0), "; give a finite objective value or none"));
  validate(options.fantasies);
  validate(options.acquisition, options.acquisition_parameters, options.cost.weight);
  require(options.failures.max_consecutive >= 1, "failures.max_consecutive is 0; give at least 1");
  check_unit(options.cost.unit, options.accounting);
  check_evaluation(options.evaluation);
  check_stopping(options.stopping, options.acquisition);
  check_design(space, options);
  check_candidate_options(options.candidates, most_stream_rows);
  options.accounting = resolved_accounting(options);
  check_batches(options);
  return options;
}

}  // namespace carbo::internal
