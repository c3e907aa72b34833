#include "bench/hpo/series.hpp"

namespace carbo::hpo {

namespace {

std::vector<double> raised(const std::vector<double>& curve, double by) {
  std::vector<double> result = thinned(curve);
  for (double& value : result) value += by;
  return result;
}

}  // namespace

std::vector<double> thinned(const std::vector<double>& curve) {
  std::vector<double> result;
  for (std::size_t i = 0; i < curve.size(); i += curve_step) result.push_back(curve[i]);
  return result;
}

draw::Curve error_curve(const CurveOf& source, const std::string& label, const std::string& colour) {
  const double best = source.cell->cell.problem->optimum;
  return {.label = label,
          .colour = colour,
          .middle = raised(source.method->middle, best),
          .lower = raised(source.method->lower, best),
          .upper = raised(source.method->upper, best)};
}

draw::Curve mean_curve(const MeanCurves& means, const std::string& label, const std::string& colour) {
  return {.label = label,
          .colour = colour,
          .middle = thinned(means.middle),
          .lower = thinned(means.lower),
          .upper = thinned(means.upper)};
}

draw::Curve stretched(draw::Curve curve, double scale) {
  const double last = static_cast<double>(curve.middle.size() - 1);
  curve.x.clear();
  for (std::vector<double>* values : {&curve.middle, &curve.lower, &curve.upper})
    if (!values->empty()) values->erase(values->begin());
  for (std::size_t i = 1; i <= curve.middle.size(); ++i) curve.x.push_back(scale * static_cast<double>(i) / last);
  return curve;
}

}  // namespace carbo::hpo
