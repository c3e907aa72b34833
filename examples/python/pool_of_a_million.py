"""A library of a million designs, each with a known price, looked at sixteen at a time.

The rows stay where NumPy has them; what is appended and suggested are row numbers. (An argument `quick` takes a pool of
20,000 rows.)
"""
from __future__ import annotations

import sys

import numpy as np

import carbo

rows = 20_000 if "quick" in sys.argv else 1_000_000
random = np.random.default_rng(1)
library = random.random((rows, 10), dtype=np.float32)
prices = 1.0 + 9.0 * library[:, 0].astype(np.float64)


def measure(picked: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Stands for the laboratory: best at 0.3 in the first four columns."""
    points = library[picked].astype(np.float64)
    return np.asarray(((points[:, :4] - 0.3) ** 2).sum(axis=1))


budget, spent = (150.0 if "quick" in sys.argv else 600.0), 0.0
selector = carbo.Selector(library, prices, seed=1)
picked = selector.design(16)
while True:
    selector.append(rows=picked, objectives=measure(picked))
    spent += float(prices[picked].sum())
    if spent >= budget:
        break
    picked = selector.suggest(16, alpha=carbo.cooling_exponent(budget, spent, budget / 8))

seen = np.flatnonzero(np.isneginf(selector.scores()))
best = int(seen[np.argmin(measure(seen))])
print(f"{selector.observations} designs for {spent:.0f}: row {best}, {measure(np.array([best]))[0]:.4f}")
