#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/draw/figure.hpp"
#include "bench/hpo/averages.hpp"

namespace carbo::hpo {

/// Grid points of a summary's curve that are drawn: 0, curve_step, 2 · curve_step … grid_steps.
inline constexpr std::size_t curve_step = 10;
std::vector<double> thinned(const std::vector<double>& curve);

/// Median error with its quartiles over the shares of the budget.
draw::Curve error_curve(const CurveOf& source, const std::string& label, const std::string& colour);
/// Normalised medians over the shares of the budget.
draw::Curve mean_curve(const MeanCurves& means, const std::string& label, const std::string& colour);

/// The same curve over another quantity, which is `scale` where the budget is spent; begins behind 0, as a
/// logarithmic axis does.
draw::Curve stretched(draw::Curve curve, double scale);

}  // namespace carbo::hpo
