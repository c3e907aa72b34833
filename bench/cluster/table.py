"""The same study on Ray and in threads of this machine: best value against cost on one measured table.

table.py [SEEDS [WORKERS [TABLE]]]     (11 seeds, 4 workers, knn_a1a of bench/hpo/data)

An evaluation sleeps a hundredth of the seconds that the table has for its row, and returns the row's error and seconds;
candidates are the rows. Budget: 60 mean costs. Prints, at quarters of the budget, the median of the best error over the
seeds with its quartiles for both, and the median of the differences of equal seeds with the range that holds it in 95 % of
bootstrap draws: noise, where that range holds 0. Needs carbo in PYTHONPATH (scripts/python), NumPy and Ray.
"""
from __future__ import annotations

import csv
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy

import carbo
import carbo.ray

DATA = Path(__file__).resolve().parent.parent / "hpo"
SHARE = 0.01  # of the table's seconds that an evaluation takes here
BUDGET = 60  # mean costs
QUARTERS = (0.25, 0.5, 0.75, 1.0)


def parameter(given: dict[str, Any]) -> Any:
    if given["type"] == "categorical":
        return carbo.categorical(given["choices"])
    kind = carbo.real if given["type"] == "real" else carbo.integer
    return kind(given["low"], given["high"], log=given.get("log", False))


class Table:
    def __init__(self, name: str) -> None:
        self.parameters = json.loads((DATA / "spaces.json").read_text())[name.split("_")[0]]["parameters"]
        self.space = carbo.Space({each["name"]: parameter(each) for each in self.parameters})
        self.rows: dict[tuple[Any, ...], tuple[float, float]] = {}
        points = []
        with open(DATA / "data" / f"{name}.csv", newline="") as file:
            for row in csv.DictReader(file):
                params = {each["name"]: self.value(each, row[each["name"]]) for each in self.parameters}
                if row["status"] == "failed" or self.key(params) in self.rows:
                    continue
                self.rows[self.key(params)] = (float(row["error"]), float(row["seconds"]))
                points.append(params)
        self.pool = carbo.Pool(self.space, points)
        self.budget = BUDGET * float(numpy.mean([seconds for _, seconds in self.rows.values()]))

    @staticmethod
    def value(given: dict[str, Any], text: str) -> Any:
        if given["type"] == "categorical":
            return next(each for each in given["choices"] if str(each) == text)
        return float(text) if given["type"] == "real" else int(text)

    @staticmethod
    def key(params: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(f"{value:.5g}" if isinstance(value, float) else value for value in params.values())


def best_at(told: list[tuple[float, float]], budget: float) -> list[float]:
    """The lowest error among what was told (error and cost, in order) when so much of the budget was spent."""
    found = []
    for share in QUARTERS:
        spent, best = 0.0, float("nan")
        for error, cost in told:
            spent += cost
            if spent > share * budget:
                break
            best = error if best != best else min(best, error)
        found.append(best)
    return found


def run(table: Table, seed: int, workers: int, on_ray: bool) -> list[float]:
    rows = table.rows

    def objective(params: dict[str, Any]) -> carbo.Evaluation:
        error, seconds = rows[Table.key(params)]
        time.sleep(SHARE * seconds)
        return carbo.Evaluation(error, cost=seconds)

    told: list[tuple[float, float]] = []
    how: dict[str, Any] = {
        "budget": table.budget, "seed": seed, "execution": "asynchronous", "accounting": "sum",
        "candidates": {"pool": table.pool}, "progress": lambda progress: told.append(rows[Table.key(progress.params)]),
    }
    if on_ray:
        carbo.ray.minimize(objective, table.space, workers=workers, **how)
    else:
        carbo.minimize(objective, table.space, workers=workers, **how)
    return best_at(told, table.budget)


def main() -> None:
    given = [*sys.argv[1:], *["11", "4", "knn_a1a"][len(sys.argv) - 1 :]]
    seeds, workers = int(given[0]), int(given[1])
    table = Table(given[2])
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    found = {
        name: numpy.array([run(table, seed, workers, name == "Ray") for seed in range(1, seeds + 1)])
        for name in ("threads", "Ray")
    }
    draws = numpy.random.default_rng(1).integers(0, seeds, (2000, seeds))
    print("| budget | threads: median (quartiles) | Ray: median (quartiles) | difference of equal seeds: median (95 %) |")
    print("| ---: | --- | --- | --- |")
    for at, share in enumerate(QUARTERS):
        cells = []
        for name in ("threads", "Ray"):
            low, middle, high = numpy.percentile(found[name][:, at], [25, 50, 75])
            cells.append(f"{middle:.4f} ({low:.4f} to {high:.4f})")
        differences = found["Ray"][:, at] - found["threads"][:, at]
        low, high = numpy.percentile(numpy.median(differences[draws], axis=1), [2.5, 97.5])
        cells.append(f"{numpy.median(differences):+.4f} ({low:+.4f} to {high:+.4f})")
        print(f"| {share:.0%} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
