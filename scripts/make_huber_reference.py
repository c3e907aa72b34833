#!/usr/bin/env python3
"""Huber fits of costs by scikit-learn and SciPy, for the tests of the linear cost model.

    scripts/make_huber_reference.py > tests/data/huber_reference.hpp

`plain` and `outliers`: HuberRegressor (differences of cost, no penalty) with its own scale. `bounded` and `unbounded`:
scipy.optimize.least_squares on log(cost / prediction) at a fixed scale, coefficients of `bounded` at 0 or above; the
prediction is bent below a knee as the product documents it.
"""
import numpy as np
import scipy
import sklearn
from scipy.optimize import least_squares
from sklearn.linear_model import HuberRegressor

THRESHOLD, SCALE = 1.345, 0.08


def listed(values):
    return ", ".join(repr(float(v)) for v in np.ravel(values))


def absolute_fit(features, costs):
    fit = HuberRegressor(epsilon=THRESHOLD, alpha=0.0, tol=1e-12, max_iter=100000).fit(features, costs)
    return np.append(fit.coef_, fit.intercept_), fit.scale_


def relative_fit(features, costs, bounded):
    rows = np.column_stack([features, np.ones(len(costs))])
    knee = costs.min() * (1e-6 if bounded else 0.1)

    def residuals(coefficients):
        sums = rows @ coefficients
        bent = knee / (2 - np.minimum(sums, knee) / knee)
        return np.log(costs) - np.log(np.where(sums >= knee, sums, bent))

    def solve(chosen, start, **bounds):
        def chosen_residuals(part):
            whole = np.zeros(rows.shape[1])
            whole[chosen] = part
            return residuals(whole)

        return least_squares(chosen_residuals, start, jac="3-point", loss="huber", f_scale=THRESHOLD * SCALE,
                             x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=10000, **bounds).x

    everything = np.arange(rows.shape[1])
    start = np.full(rows.shape[1], costs.mean() / rows.shape[1]) / rows.mean(axis=0)
    if not bounded:
        return solve(everything, start)
    # Interior steps only come near a bound: coefficients that end there are set to 0 and the others fitted again.
    inside = solve(everything, start, bounds=(0, np.inf))
    chosen = np.flatnonzero(inside * rows.max(axis=0) > 1e-6 * costs.min())
    coefficients = np.zeros(rows.shape[1])
    coefficients[chosen] = solve(chosen, inside[chosen])
    return coefficients


def print_case(name, features, costs, coefficients, scale):
    print(f"inline constexpr double {name}_features[] = {{{listed(features)}}};")
    print(f"inline constexpr double {name}_costs[] = {{{listed(costs)}}};")
    print(f"/// Of the features, then the intercept.\ninline constexpr double {name}_coefficients[] = "
          f"{{{listed(coefficients)}}};")
    print(f"inline constexpr HuberReference {name}{{{len(costs)}, {features.shape[1]}, {name}_features, "
          f"{name}_costs, {name}_coefficients, {float(scale)!r}}};\n")


def main():
    random = np.random.default_rng(5)
    print("#pragma once\n\n#include <cstddef>\n")
    print(f"/// Made by scripts/make_huber_reference.py with scikit-learn {sklearn.__version__} and "
          f"SciPy {scipy.__version__}.")
    print("namespace huber_reference {\n")
    print("struct HuberReference {\n  std::size_t rows;\n  std::size_t columns;\n  const double* features;\n"
          "  const double* costs;\n  const double* coefficients;\n  double scale;\n};\n")
    print(f"inline constexpr double threshold = {THRESHOLD};\n")
    for name, outliers in [("plain", 0), ("outliers", 4)]:
        features = random.random((30, 2)) * [40.0, 3.0]
        costs = 2.0 + features @ [0.5, 4.0] + 0.4 * random.standard_normal(30)
        costs[:outliers] *= [8.0, 0.1, 20.0, 5.0][:outliers]
        print_case(name, features, costs, *absolute_fit(features, costs))
    for name, bounded in [("bounded", True), ("unbounded", False)]:
        features = random.random((30, 3)) ** 2 * [100.0, 10.0, 1.0]
        truth = [0.2, 1.5, -3.0] if bounded else [0.2, -0.3, 0.5]
        costs = (4.0 + features @ truth) * np.exp(0.05 * random.standard_normal(30))
        costs[:3] *= [1000.0, 0.001, 4.0]
        print_case(name, features, costs, relative_fit(features, costs, bounded), SCALE)
    print("}  // namespace huber_reference")


if __name__ == "__main__":
    main()
