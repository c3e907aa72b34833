#pragma once

#include <string>
#include <vector>

#include "bench/hpo/results.hpp"

namespace carbo::hpo {

/// The paper's normalisation of one problem: the curve that starts worst starts at 1, the one that ends best ends at
/// 0.
struct Normalisation {
  double top = 1;     ///< highest first finite value of a curve
  double bottom = 0;  ///< lowest last value

  /// Nothing finished counts as the worst start; everything is 0 where top and bottom are one.
  double operator()(double value) const;
};

/// From the median curves of all that are compared on one problem.
Normalisation normalisation_of(const std::vector<const std::vector<double>*>& medians);

/// Quartiles and median over seeds, normalised, then the mean over problems.
struct MeanCurves {
  std::vector<double> lower{};
  std::vector<double> middle{};
  std::vector<double> upper{};
};

/// One method in one cell.
struct CurveOf {
  const replay::Summary* cell;
  const replay::MethodSummary* method;
};

/// `compared[p]` holds what is compared on problem p, in the same order on every problem; so are the results. Throws
/// std::invalid_argument where a problem has fewer or more of them.
std::vector<MeanCurves> mean_curves(const std::vector<std::vector<CurveOf>>& compared);

/// All methods with these names, on each of the cells.
std::vector<std::vector<CurveOf>> curves_named(const std::vector<replay::Summary>& cells,
                                               const std::vector<std::string>& methods);
/// One method with all batch sizes of an experiment, on each of its problems.
std::vector<std::vector<CurveOf>> curves_by_batch(const ExperimentResults& results, const std::string& method);

}  // namespace carbo::hpo
