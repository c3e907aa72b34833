"""A random forest for handwritten digits, tuned within 60 seconds of training on two cores.

Trees cost time, and so do features to look at: Carbo learns how much, and spends the budget where it pays. The study is
on a file: call this again and it goes on; `carbo report forest.db` shows it. (An argument `quick` takes 2 seconds.)
"""
from __future__ import annotations

import sys
from typing import Any

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

import carbo

inputs, labels = load_digits(return_X_y=True)
space = carbo.Space(
    trees=carbo.integer(4, 400, log=True),
    depth=carbo.integer(2, 30),
    features=carbo.real(0.02, 1.0, log=True),
    criterion=carbo.categorical(["gini", "entropy"]),
    depth_limit=carbo.categorical([True, False]),
)


def error(x: dict[str, Any]) -> float:
    forest = RandomForestClassifier(
        n_estimators=x["trees"],
        max_depth=x["depth"] if x["depth_limit"] else None,
        max_features=x["features"],
        criterion=x["criterion"],
        random_state=0,
    )
    return 1.0 - float(cross_val_score(forest, inputs, labels, cv=3).mean())


if __name__ == "__main__":
    seconds = 2 if "quick" in sys.argv else 60
    result = carbo.minimize(
        error,
        space,
        budget=seconds,
        workers=2,
        executor="process",
        file="forest.db",
        execution="asynchronous",
        cost={"features": [carbo.work("trees * features"), carbo.work("trees")]},
        progress=True,
    )
    if result.best is None:
        raise SystemExit("nothing was evaluated")
    print(f"error {result.best.objective:.4f} after {len(result.trials)} forests: {result.best.params}")
