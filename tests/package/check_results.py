#!/usr/bin/env python3
"""Checks what examples/cuda_app printed against the model integrated anew.

usage: check_results.py OUTPUT CANDIDATES BUDGET

The best designs are found again from their rows and integrated by Runge and Kutta's method of order 4 with a fixed
step, written apart from the application: their power, and what else was printed of both searches, must fit.
"""
import math
import re
import sys

# Steps of a run, at most, over the whole library: what a last simulation may spend beyond the budget.
MOST_STEPS = 16000
# Decibels. The application's integrator errs by up to 0.4 at powers as high as these.
TOLERANCE = 0.6
SEARCH = re.compile(r"^(EI-cool|EI) +(\d+) +(\d+) +(\d+) +(-[\d.]+) +(\d+) +[\d.]+$", re.MULTILINE)
BEST = re.compile(r"best: row (\d+),")


def design(row: int) -> list[float]:
    root = 1.1
    for _ in range(100):  # of g^6 = g + 1
        root = (1 + root) ** (1 / 6)
    return [(row + 1) * root ** -(column + 1) % 1 for column in range(5)]


def power(x: list[float], step: float = 0.002) -> float:
    """In decibels, over the last half of the time."""
    stiffness, hardening = 0.05 * 2 ** (7 * x[0]), 0.02 * 2 ** (10 * x[1])
    leak, coupling, mass = 0.03 * 2 ** (13 * x[2]), 0.02 * 2 ** (7 * x[3]), 0.05 + 0.9 * x[4]
    room = 1 - mass

    def slope(time, u, w, v):
        stop = 40 * (abs(u) - room) * (1 if u > 0 else -1) if abs(u) > room else 0
        force = -stiffness * u - hardening * u**3 - 0.02 * w - stop + coupling * v
        return w, force / mass - 0.08 * math.cos(time) - 0.03 * math.cos(1.7 * time), -leak * v - coupling * w

    u = w = v = energy = 0.0
    steps = round(160 / step)
    for i in range(steps):
        time = i * step
        a = slope(time, u, w, v)
        b = slope(time + step / 2, u + step / 2 * a[0], w + step / 2 * a[1], v + step / 2 * a[2])
        c = slope(time + step / 2, u + step / 2 * b[0], w + step / 2 * b[1], v + step / 2 * b[2])
        d = slope(time + step, u + step * c[0], w + step * c[1], v + step * c[2])
        before = v
        u += step / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        w += step / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
        v += step / 6 * (a[2] + 2 * b[2] + 2 * c[2] + d[2])
        if 2 * i >= steps:
            energy += step * leak * (before * before + v * v) / 2
    return 10 * math.log10(energy / 80)


def check(output: str, candidates: int, budget: int) -> None:
    """Raises ValueError at what does not fit."""
    searches, rows = SEARCH.findall(output), BEST.findall(output)
    if [found[0] for found in searches] != ["EI-cool", "EI"] or len(rows) != 2:
        raise ValueError(f"not the lines of two searches:\n{output}")
    for (name, simulations, steps, fits, decibels, in_play), row in zip(searches, rows):
        if not budget <= int(steps) < budget + MOST_STEPS:
            raise ValueError(f"{name}: {steps} steps of a budget of {budget}")
        if not 1 <= int(in_play) <= candidates - int(simulations):
            raise ValueError(f"{name}: {in_play} of {candidates} candidates are in play")
        if int(fits) < 2 or int(row) >= candidates:
            raise ValueError(f"{name}: {fits} fits, row {row}")
        expected = power(design(int(row)))
        if abs(float(decibels) - expected) > TOLERANCE:
            raise ValueError(f"{name}: row {row} has {expected:.3f} dB, and {decibels} was printed")
        print(f"{name}: {decibels} dB printed, {expected:.3f} dB integrated anew")


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        text = file.read()
    try:
        check(text, int(sys.argv[2]), int(sys.argv[3]))
    except ValueError as error:
        sys.exit(str(error))
