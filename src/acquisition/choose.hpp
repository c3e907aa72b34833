#pragma once

#include <carbo/options.hpp>

#include "acquisition/spec.hpp"

namespace carbo::internal {

kernels::CostMoment moment_of(CostWeight weight);

/// Throws InvalidOptions where a parameter is out of its range, or where the acquisition cannot take the cost's
/// weight.
void validate(Acquisition acquisition, const AcquisitionParameters& parameters, CostWeight weight);

/// Whether an acquisition scores candidates.
bool scores(Acquisition acquisition);
/// Whether its score is over c^alpha: its parameter is then alpha.
bool has_cost_exponent(Acquisition acquisition);
/// Whether it looks at samples of the objective's minimum.
bool needs_extremes(Acquisition acquisition);

/// The parameter of the next search of a run, in the caller's units.
double run_parameter(Acquisition acquisition, const kernels::RunState& run);
/// The parameter that somebody asks for who runs a loop of his own. Throws InvalidOptions where there is none, and
/// where the acquisition scores nothing.
double requested_parameter(Acquisition acquisition, double alpha, const AcquisitionParameters& parameters);

/// `objective_scale`: units of the objective that one standardised unit is worth.
kernels::AcquisitionSpec make_spec(Acquisition acquisition, double parameter, CostWeight weight,
                                   double objective_scale);

}  // namespace carbo::internal
