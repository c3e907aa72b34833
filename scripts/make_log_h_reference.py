#!/usr/bin/env python3
"""Coefficients of kernels/formulas/log_h.hpp and kernels/formulas/exp_negative.hpp, and the reference values that the test compares.

    scripts/make_log_h_reference.py coefficients            prints the coefficient lists
    scripts/make_log_h_reference.py values > tests/data/log_h_reference.hpp
    scripts/make_log_h_reference.py inverse > tests/data/inverse_h_reference.hpp

h(u) = phi(u) + u Phi(u). Everything is computed with mpmath to 60 digits or more.
"""
import sys

from mpmath import cos, erf, erfc, exp, fac2, log, lu_solve, matrix, mp, mpf, npdf, pi, polyval, sqrt, chebyfit

mp.dps = 80


def tail_factor(z):
    """G(1/z) with h(-t) = phi(t) G(t) / t^2; G -> 1 as t -> infinity."""
    if z < mpf("1e-3"):
        return sum((-1) ** k * fac2(2 * k + 1) * z ** (2 * k) for k in range(16))
    t = 1 / z
    mills = sqrt(pi / 2) * exp(t * t / 2) * erfc(t / sqrt(2))
    return t * t * (1 - t * mills)


def tail_rational(numerator_degree=9, denominator_degree=11, centre=mpf(3)):
    """Interpolates G as a rational function of z in [0, 1] at Chebyshev points of (t - centre) / (t + centre)."""
    low = (1 - centre) / (1 + centre)

    def z_of(x):
        q = (1 + low) / 2 + (1 - low) / 2 * x
        return (1 - q) / (centre * (1 + q))

    count = numerator_degree + denominator_degree + 1
    system, right = matrix(count, count), matrix(count, 1)
    for i in range(count):
        z = z_of(cos(pi * (i + mpf(1) / 2) / count))
        value = tail_factor(z)
        for j in range(numerator_degree + 1):
            system[i, j] = z**j
        for j in range(1, denominator_degree + 1):
            system[i, numerator_degree + j] = -value * z**j
        right[i] = value
    solution = lu_solve(system, right)
    numerator = [solution[j] for j in range(numerator_degree + 1)]
    denominator = [mpf(1)] + [solution[numerator_degree + j] for j in range(1, denominator_degree + 1)]
    worst = mpf(0)
    for i in range(800):
        z = z_of(cos(pi * mpf(i) / 799))
        ratio = polyval(numerator[::-1], z) / polyval(denominator[::-1], z)
        worst = max(worst, abs(ratio / tail_factor(z) - 1))
    return numerator, denominator, worst


def even_part(x):
    """h(u) - u/2 as a function of x = u^2."""
    u = sqrt(x)
    return npdf(u) + u * erf(u / sqrt(2)) / 2


def exponential_rest(r):
    """(exp(r) - 1 - r) / r^2."""
    if abs(r) < mpf("1e-20"):
        return mpf(1) / 2 + r / 6
    return (exp(r) - 1 - r) / (r * r)


def show(title, coefficients, error):
    print(f"// {title}, error {mp.nstr(error, 3)}, ascending powers")
    for value in coefficients:
        print(f"    {float(value)!r},")


def print_coefficients():
    numerator, denominator, error = tail_rational()
    show("tail numerator", numerator, error)
    show("tail denominator", denominator, error)
    coefficients, error = chebyfit(even_part, [0, 1], 11, error=True)
    show("even part", coefficients[::-1], error)
    half = log(2) / 2 * mpf("1.001")
    coefficients, error = chebyfit(exponential_rest, [-half, half], 10, error=True)
    show("exponential rest", coefficients[::-1], error * half**2)
    print("// log h(-1), log h(1)")
    print(repr(float(log_h(mpf(-1)))), repr(float(log_h(mpf(1)))))


def log_h(u):
    """By the definition at a precision that outlasts its cancellation, by the tail series far out."""
    if u < -60:
        t = -u
        series = sum((-1) ** k * fac2(2 * k + 1) / t ** (2 * k) for k in range(40))
        return -t * t / 2 - log(sqrt(2 * pi)) - 2 * log(t) + log(series)
    digits = mp.dps
    mp.dps = digits + int(u * u / 4) + 20 if u < 0 else digits
    value = log(npdf(u) + u * erfc(-u / sqrt(2)) / 2)
    mp.dps = digits
    return value


def print_values():
    points = [-(10.0**e) for e in (150, 100, 50, 20, 12, 8, 7, 6, 5, 4, 3.5)]
    points += [-1000.0, -500.0, -200.0, -100.0, -60.0, -40.0, -38.5, -30.0, -25.0, -20.0, -15.0, -12.0]
    points += [-10.0 + 0.25 * i for i in range(81)]
    points += [-1.0000001, -0.9999999, 0.9999999, 1.0000001, 0.9, 0.899, 0.8999, -1e-8, 1e-8, 1e-300]
    points += [12.0, 20.0, 37.0, 40.0, 100.0, 500.0, 1000.0, 1e6, 1e8, 1e100]
    print("#pragma once\n")
    print("/// log h(u) by mpmath; made by scripts/make_log_h_reference.py.")
    print("struct LogHReference {\n  double u;\n  double log_h;\n};\n")
    print("inline constexpr LogHReference log_h_reference[] = {")
    for u in sorted(set(points)):
        print(f"    {{{u!r}, {float(log_h(mpf(u)))!r}}},")
    print("};")


def inverse_h(value):
    """u with h(u) = value, by bisection: h rises everywhere."""
    low, high = mpf(-60), max(value, mpf(1)) + 1
    goal = log(value)
    for _ in range(400):
        middle = (low + high) / 2
        low, high = (middle, high) if log_h(middle) < goal else (low, middle)
    return low


def print_inverse():
    values = [10.0 ** (e / 4) for e in range(-80, 81)] + [0.0833, 0.08332, 0.3989, 0.39895, 1.0833, 1.08332, 40.0, 41.0]
    print("#pragma once\n")
    print("/// u with h(u) = value, by mpmath; made by scripts/make_log_h_reference.py.")
    print("struct InverseHReference {\n  double value;\n  double u;\n};\n")
    print("inline constexpr InverseHReference inverse_h_reference[] = {")
    for value in sorted(set(values)):
        print(f"    {{{value!r}, {float(inverse_h(mpf(value)))!r}}},")
    print("};")


if __name__ == "__main__":
    modes = {"coefficients": print_coefficients, "values": print_values, "inverse": print_inverse}
    if len(sys.argv) != 2 or sys.argv[1] not in modes:
        sys.exit(__doc__)
    modes[sys.argv[1]]()
