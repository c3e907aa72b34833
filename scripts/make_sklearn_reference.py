#!/usr/bin/env python3
"""Inputs and outputs of scikit-learn's GaussianProcessRegressor, for the backend's tests.

    scripts/make_sklearn_reference.py > tests/data/sklearn_reference.hpp

Hyperparameters are fixed (no fit). The log marginal likelihood and its gradient with respect to the log parameters
(lengthscales, signal variance, noise variance) and the posterior of the noise-free function are stored.
"""
import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

ROWS, COLUMNS, QUERIES = 24, 3, 6
LENGTHSCALES, SIGNAL, NOISE, MEAN = [0.35, 0.8, 1.6], 1.9, 0.02, 0.4


def listed(values):
    return ", ".join(repr(float(v)) for v in np.ravel(values))


def main():
    random = np.random.default_rng(20)
    x = random.random((ROWS, COLUMNS))
    y = np.sin(5 * x[:, 0]) + x[:, 1] ** 2 - x[:, 2] + 0.1 * random.standard_normal(ROWS)
    queries = random.random((QUERIES, COLUMNS))
    smooth = ConstantKernel(SIGNAL) * Matern(length_scale=LENGTHSCALES, nu=2.5)
    kernel = smooth + WhiteKernel(NOISE)
    gp = GaussianProcessRegressor(kernel=kernel, alpha=0.0, optimizer=None).fit(x, y - MEAN)
    # scikit-learn orders its parameters: signal, lengthscales, noise.
    value, gradient = gp.log_marginal_likelihood(gp.kernel_.theta, eval_gradient=True)
    gradient = np.concatenate([gradient[1:4], gradient[:1], gradient[4:]])
    mean, sd = gp.predict(queries, return_std=True)
    variance = sd**2 - NOISE
    print("#pragma once\n")
    print(f"/// Made by scripts/make_sklearn_reference.py with scikit-learn {sklearn.__version__}.")
    print("namespace sklearn_reference {\n")
    print(f"inline constexpr int rows = {ROWS}, columns = {COLUMNS}, queries = {QUERIES};")
    print(f"inline constexpr double signal = {SIGNAL}, noise = {NOISE}, mean = {MEAN};")
    for name, values in [
        ("lengthscales", LENGTHSCALES),
        ("x", x),
        ("y", y),
        ("query", queries),
        ("posterior_mean", mean + MEAN),
        ("posterior_variance", variance),
        ("gradient", gradient),
    ]:
        print(f"inline constexpr double {name}[] = {{{listed(values)}}};")
    print(f"inline constexpr double log_likelihood = {float(value)!r};")
    print("\n}  // namespace sklearn_reference")


if __name__ == "__main__":
    main()
