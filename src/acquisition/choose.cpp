#include "acquisition/choose.hpp"

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "acquisition/table.hpp"
#include "support/text.hpp"

namespace carbo::internal {

kernels::CostMoment moment_of(CostWeight weight) {
  if (weight == CostWeight::mean) return kernels::CostMoment::mean;
  return weight == CostWeight::moment ? kernels::CostMoment::exact : kernels::CostMoment::median;
}

void validate(Acquisition acquisition, [[maybe_unused]] const AcquisitionParameters& parameters, CostWeight weight) {
#define CARBO_CHECK(name, standard, lowest, highest)                                                            \
  if (!(parameters.name >= (lowest) && parameters.name <= (highest)))                                           \
    throw InvalidOptions(text("acquisition_parameters." #name " is ", parameters.name, "; give a number from ", \
                              lowest, " to ", highest));
  CARBO_ACQUISITION_PARAMETERS(CARBO_CHECK)
#undef CARBO_CHECK
  const bool takes = kernels::visit_acquisition(
      acquisition, [&](auto type) { return decltype(type)::type::takes(moment_of(weight)); }, false);
  if (takes) return;
  throw InvalidOptions(text("cost.weight is ", to_string(weight), ", which the acquisition ", to_string(acquisition),
                            " cannot take; give median or mean"));
}

bool scores(Acquisition acquisition) {
  return kernels::visit_score(
      acquisition, [](auto) { return true; }, false);
}

bool has_cost_exponent(Acquisition acquisition) {
  const auto cools = [](auto type) { return std::is_base_of_v<kernels::EiCool, typename decltype(type)::type>; };
  return kernels::visit_score(acquisition, cools, false);
}

bool needs_extremes(Acquisition acquisition) {
  return kernels::visit_score(
      acquisition, [](auto type) { return decltype(type)::type::needs_extremes; }, false);
}

double run_parameter(Acquisition acquisition, const kernels::RunState& run) {
  return kernels::visit_acquisition(
      acquisition, [&](auto type) { return decltype(type)::type::parameter(run); }, 0.0);
}

double requested_parameter(Acquisition acquisition, double alpha, const AcquisitionParameters& parameters) {
  if (!scores(acquisition))
    throw InvalidOptions(text("acquisition is ", to_string(acquisition), ", which scores no row; give another"));
  const auto requested = [&](auto type) {
    using Chosen = typename decltype(type)::type;
    double parameter = 0;
    if constexpr (!std::is_same_v<typename Chosen::Score, kernels::NoScore>) {
      parameter = Chosen::requested(alpha, parameters);
      if (const char* const needed = Chosen::refuses(Chosen::standardised(parameter, 1.0)))
        throw InvalidOptions(text("acquisition is ", to_string(acquisition), " with ", parameter, "; give ", needed));
    }
    return parameter;
  };
  return kernels::visit_acquisition(acquisition, requested, 0.0);
}

kernels::AcquisitionSpec make_spec(Acquisition acquisition, double parameter, CostWeight weight,
                                   double objective_scale) {
  const auto standardised = [&](auto score) {
    return decltype(score)::type::standardised(parameter, objective_scale);
  };
  return {acquisition, kernels::visit_score(acquisition, standardised, parameter), moment_of(weight)};
}

}  // namespace carbo::internal
