"""Tables, plots and progress, without a dependency where none is needed."""
from __future__ import annotations

import html as _html
import importlib
import math
import sys
import time
from collections.abc import Sequence
from typing import Any

from ._records import Trial


def told(trials: Sequence[Trial]) -> list[Trial]:
    """Those of this run that ended, in the order in which they did."""
    ended = [trial for trial in trials if trial.finished and trial.origin == "this_run"]
    return sorted(ended, key=lambda trial: trial.sequence or 0)


def curve(trials: Sequence[Trial], goal: str) -> tuple[list[float], list[float]]:
    """Summed cost and best objective so far after each of `told`."""
    spent, best = 0.0, math.nan
    costs: list[float] = []
    values: list[float] = []
    for trial in told(trials):
        spent += trial.cost or 0.0
        if trial.objective is not None:
            better = trial.objective > best if goal == "maximize" else trial.objective < best
            best = trial.objective if math.isnan(best) or better else best
        costs.append(spent)
        values.append(best)
    return costs, values


def trials_to_pandas(trials: Sequence[Trial]) -> Any:
    """One row a trial: what is known of it, parameters as ``params_<name>``, metrics as ``metrics_<name>``."""
    pandas = importlib.import_module("pandas")
    rows = []
    for trial in trials:
        row = {
            "number": trial.number,
            "id": trial.id,
            "state": trial.state,
            "origin": trial.origin,
            "objective": trial.objective,
            "cost": trial.cost,
            "batch": trial.batch,
            "phase": trial.phase,
            "reason": trial.reason,
        }
        row.update({f"params_{name}": value for name, value in trial.params.items()})
        row.update({f"metrics_{name}": value for name, value in trial.metrics.items()})
        rows.append(row)
    return pandas.DataFrame(rows)


def plot(trials: Sequence[Trial], goal: str, unit: str, ax: Any = None) -> Any:
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    costs, values = curve(trials, goal)
    ax.step(costs, values, where="post")
    ended = [(cost, trial.objective) for cost, trial in zip(costs, told(trials)) if trial.objective is not None]
    ax.plot([cost for cost, _ in ended], [value for _, value in ended], "o", alpha=0.4, markersize=3)
    ax.set_xlabel(f"summed cost ({unit})")
    ax.set_ylabel("best objective so far")
    return ax


def svg(trials: Sequence[Trial], goal: str, unit: str, width: int = 420, height: int = 160) -> str:
    """The same as an inline picture: a step line with its ends labelled."""
    costs, values = curve(trials, goal)
    points = [(c, v) for c, v in zip(costs, values) if math.isfinite(v)]
    if not points:
        return ""
    left, bottom, top = 8, 20, 16
    low, high = min(v for _, v in points), max(v for _, v in points)
    across, up = points[-1][0] or 1.0, (high - low) or 1.0

    def place(cost: float, value: float) -> tuple[float, float]:
        return (
            left + (width - 2 * left) * cost / across,
            top + (height - top - bottom) * (high - value) / up,
        )

    path, before = "", 0.0
    for cost, value in points:
        x, y = place(cost, value)
        path += f"M{x:.1f} {y:.1f}" if not path else f"L{x:.1f} {before:.1f}L{x:.1f} {y:.1f}"
        before = y
    text = 'font-size="10" font-family="sans-serif" fill="currentColor"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">'
        f'<path d="{path}" fill="none" stroke="#1f77b4" stroke-width="1.5"/>'
        f'<text x="{left}" y="11" {text}>best objective: {points[0][1]:.6g} to {points[-1][1]:.6g}</text>'
        f'<text x="{width - left}" y="{height - 6}" text-anchor="end" {text}>'
        f"{points[-1][0]:.6g} {_html.escape(unit)} of summed cost</text></svg>"
    )


def html(shown: Any) -> str:
    """Of a result or a study: what was found as a table, and the way there as a picture."""
    trials, best = shown.trials, shown.best
    rows = [
        ("spent", f"{shown.spent:.6g} of {shown.budget:.6g} {shown.unit}"),
        ("evaluations", str(sum(trial.finished and trial.origin == "this_run" for trial in trials))),
        ("state", shown.stop_reason),
    ]
    if best is not None:
        rows.append(("best objective", f"{best.objective:.6g}"))
        rows += [(name, f"{value!r}") for name, value in best.params.items()]
    body = "".join(
        f"<tr><th style='text-align:left'>{_html.escape(name)}</th><td>{_html.escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<div><table>{body}</table>{svg(trials, shown.goal, shown.unit)}</div>"


def html_table(rows: Sequence[Sequence[str]], title: str) -> str:
    """The first row are the names of columns."""
    lines = "".join(
        "<tr>" + "".join(f"<{kind}>{_html.escape(cell)}</{kind}>" for cell in row) + "</tr>"
        for row, kind in ((row, "td" if number else "th") for number, row in enumerate(rows))
    )
    return f"<table><caption>{_html.escape(title)}</caption>{lines}</table>"


class Shown:
    """Whatever has trials that can be looked at: a result, or a study."""

    trials: Any
    goal: Any
    unit: Any

    def to_pandas(self) -> Any:
        """All trials as a data frame; needs pandas."""
        return trials_to_pandas(self.trials)

    def plot(self, ax: Any = None) -> Any:
        """The best objective over what was spent; needs matplotlib. Returns the axes."""
        return plot(self.trials, self.goal, self.unit, ax)

    def _repr_html_(self) -> str:
        return html(self)


class ProgressBar:
    """One line that says how much of the budget is spent: tqdm's where it is there, otherwise our own."""

    def __init__(self, budget: float, unit: str, stream: Any = None) -> None:
        self._budget, self._unit = budget, unit
        self._stream = stream or sys.stderr
        self._drawn = 0.0
        try:
            tqdm = importlib.import_module("tqdm.auto").tqdm
            self._bar: Any = tqdm(total=budget, unit=unit, unit_scale=True, file=stream)
        except ImportError:
            self._bar = None

    def __call__(self, progress: Any) -> None:
        best = "" if progress.best_objective is None else f"best {progress.best_objective:.6g}"
        failures = f", {progress.failures} failed" if progress.failures else ""
        words = f"{best}, {progress.evaluations} evaluations{failures}"
        if self._bar is not None:
            self._bar.n = min(progress.spent, self._budget)
            self._bar.set_postfix_str(words, refresh=True)
            return
        now = time.monotonic()
        if now - self._drawn < 0.1 and progress.spent < self._budget:
            return
        self._drawn = now
        filled = int(20 * min(1.0, progress.spent / self._budget))
        line = f"[{'#' * filled}{'.' * (20 - filled)}] {progress.spent:.4g}/{self._budget:.4g} {self._unit}, {words}"
        self._stream.write("\r" + line.ljust(100)[:120])
        self._stream.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._drawn:
            self._stream.write("\n")
