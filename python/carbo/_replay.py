"""Any table as a benchmark: methods search among configurations that were measured before."""
from __future__ import annotations

import importlib
import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _carbo
from ._display import html_table
from ._errors import InvalidConfiguration, InvalidObservation, InvalidOptions
from ._space import Space


@dataclass(frozen=True)
class ReplaySavings:
    """Of one method against another: the share of the budget that is left when the median of the one reaches what the
    other's has at the end; negative where it ends worse."""

    method: str
    rival: str
    share: float
    low: float  #: 5 % quantile over resamples of the seeds
    high: float  #: 95 %


@dataclass(frozen=True)
class ReplayEvaluation:
    """One evaluation of a run."""

    seed: int
    row: int  #: of the rows that were kept, from 0
    phase: str
    cost: float
    spent: float  #: of the budget when it finished
    objective: float | None  #: None where it failed


@dataclass(frozen=True)
class ReplayMethod:
    """What one method did over all seeds: curves hold the best objective at each thousandth of the budget, NaN before
    the first success."""

    method: str
    lower: Sequence[float]  #: a quarter of the runs has reached at least that
    median: Sequence[float]
    upper: Sequence[float]  #: three quarters
    evaluations: float  #: the median number of a run
    seconds: float  #: CPU time of a run
    cut_short: int  #: runs that ended before the budget, at ``most_evaluations``
    runs: list[ReplayEvaluation] = field(repr=False)


@dataclass(frozen=True)
class ReplayCell:
    """All methods with one batch size and one budget."""

    batch: int
    budget: float
    methods: list[ReplayMethod]
    savings: list[ReplaySavings]


@dataclass(frozen=True)
class Replay:
    """What a replay found; the first method is the one whose savings are shown."""

    space: Space
    rows: int
    failed: int  #: rows without an objective
    objective: str
    cost: str | None  #: None: every row costs 1
    goal: str
    best: float  #: the best objective of all rows
    mean_cost: float
    cost_spread: float  #: 95 % quantile of the costs over their 5 % quantile
    most_evaluations: int  #: of a run
    notes: list[str]  #: which columns and rows were left out, and why
    cells: list[ReplayCell]

    def savings(self) -> Any:
        """A data frame of savings, a row a pair of methods; needs pandas."""
        rows = [
            {"batch": cell.batch, "budget": cell.budget, **vars(one)} for cell in self.cells for one in cell.savings
        ]
        return importlib.import_module("pandas").DataFrame(rows)

    def curves(self) -> Any:
        """A data frame of the curves, a row a method and thousandth of the budget; needs pandas."""
        rows = []
        for cell in self.cells:
            for one in cell.methods:
                last = len(one.median) - 1
                for at, values in enumerate(zip(one.lower, one.median, one.upper)):
                    row = {"batch": cell.batch, "budget": cell.budget, "method": one.method}
                    row["spent"] = cell.budget * at / last
                    row.update(zip(("lower", "median", "upper"), values))
                    rows.append(row)
        return importlib.import_module("pandas").DataFrame(rows)

    def to_pandas(self) -> Any:
        """A data frame of all evaluations of all runs; needs pandas."""
        rows = [
            {"batch": cell.batch, "budget": cell.budget, "method": one.method, **vars(run)}
            for cell in self.cells
            for one in cell.methods
            for run in one.runs
        ]
        return importlib.import_module("pandas").DataFrame(rows)

    def plot(self, ax: Any = None, cell: int = -1) -> Any:
        """Median curves of one cell, with bands from a quarter to three quarters; needs matplotlib. Returns the axes."""
        if ax is None:
            ax = importlib.import_module("matplotlib.pyplot").subplots()[1]
        shown = self.cells[cell]
        for one in shown.methods:
            spent = [shown.budget * at / (len(one.median) - 1) for at in range(len(one.median))]
            (line,) = ax.step(spent, one.median, where="post", label=one.method)
            ax.fill_between(spent, one.lower, one.upper, step="post", alpha=0.15, color=line.get_color())
        ax.set_xlabel("spent" if self.cost is None else f"spent ({self.cost})")
        ax.set_ylabel(f"best {self.objective} so far")
        ax.legend()
        return ax

    def _repr_html_(self) -> str:
        parts = []
        for cell in self.cells:
            saved = {one.rival: one for one in cell.savings if one.method == cell.methods[0].method}
            rows = [["method", "half reach", "25 % reach", "75 % reach", f"saved by {cell.methods[0].method}", "5 to 95 %"]]
            for each in cell.methods:
                one = saved.get(each.method)
                rows.append(
                    [each.method, *(f"{curve[-1]:.6g}" for curve in (each.median, each.lower, each.upper))]
                    + (["", ""] if one is None else [f"{one.share:+.0%}", f"{one.low:+.0%} to {one.high:+.0%}"])
                )
            seeds = len({run.seed for run in cell.methods[0].runs})
            title = f"{self.rows} rows, budget {cell.budget:.6g}, batches of {cell.batch}, {seeds} seeds"
            parts.append(html_table(rows, title))
        return "".join(parts)


def replay(
    frame: Any,
    *,
    objective: str = "objective",
    cost: str | None = "cost",
    goal: str = "minimize",
    space: Space | None = None,
    parameters: Iterable[str] = (),
    ignore: Iterable[str] = (),
    log: Iterable[str] = (),
    categorical: Iterable[str] = (),
    repeats: str = "refuse",
    leave_out: bool = False,
    methods: Iterable[str] | None = None,
    budgets: Iterable[float | str] | float | str | None = None,
    batches: Iterable[int] | int = 1,
    seeds: int | None = None,
    share: float | None = None,
    jobs: int = 0,
    progress: bool = False,
) -> Replay:
    """What methods would have found for their money in a data frame of measured configurations, a row each.

    >>> import carbo
    >>> table = {"x": [i / 40 for i in range(40)], "objective": [(i - 9) ** 2 for i in range(40)], "cost": [1.0] * 40}
    >>> found = carbo.replay(table, methods=["default", "random"], budgets="8x", seeds=3)
    >>> found.best, [one.method for one in found.cells[0].methods]
    (0.0, ['default', 'random'])

    ``frame`` is a pandas data frame, or a mapping of columns by name. A row without an objective failed: it costs, and
    has none. Without a ``cost`` (None) every row costs 1. Without a ``space`` all other columns are parameters, or those
    that ``parameters`` names; ``ignore``, ``log`` and ``categorical`` name columns that are left out, searched on a
    logarithmic scale, or whose numbers are names. ``repeats`` says what becomes of a configuration in several rows
    ("refuse", "mean", "first"), ``leave_out`` whether rows in which something else is missing are left out.

    ``budgets``: numbers in the unit of the cost, or mean costs of a row such as "50x"; ``batches``: evaluations at a
    time; ``share``: of the rows, that a run may evaluate; ``jobs``: runs at a time, 0: one a core. Methods and all that
    is not given are those of ``carbo replay`` (docs/replay.md). Ctrl-C ends it.
    """
    header, rows = _cells(frame, space)
    if objective not in header:
        raise InvalidObservation(f"no column is called {objective!r}; there are {', '.join(header)}: name it by objective=")
    if cost is not None and cost not in header:
        raise InvalidObservation(
            f"no column is called {cost!r}; there are {', '.join(header)}: name it by cost=, or give cost=None where "
            "every row costs the same"
        )
    chosen, ignored, logarithmic, names = (
        list(_names(value, what, header))
        for what, value in (("parameters", parameters), ("ignore", ignore), ("log", log), ("categorical", categorical))
    )
    if space is not None and (chosen or ignored or logarithmic or names):
        raise InvalidOptions(
            "with space= the space says what the parameters are; leave out parameters=, ignore=, log= and categorical="
        )
    native = None if space is None else space._native
    table = _carbo.ReplayTable(
        header, rows, objective, cost or "", goal, repeats, leave_out, native, chosen, ignored, logarithmic, names, share
    )
    about = table.record()
    wanted = _carbo.usual_methods() if methods is None else [str(name) for name in methods]
    sizes = [batches] if isinstance(batches, int) else list(batches)
    amounts = f"{about['usual_budget']}x" if budgets is None else budgets
    given = [amounts] if isinstance(amounts, (str, int, float)) else list(amounts)
    spent = [_amount(each, about["mean_cost"]) for each in given]
    count = _carbo.usual_seeds if seeds is None else seeds
    if not (wanted and sizes and spent and count > 0):
        raise InvalidOptions("give at least one of each: methods, budgets, batches and seeds")
    with tempfile.TemporaryDirectory(prefix="carbo-replay-") as folder:
        cells = table.run(wanted, sizes, spent, count, jobs, progress, folder)
    sign = -1.0 if goal == "maximize" else 1.0
    return Replay(
        space=Space._of_native(table.space()) if space is None else space,
        rows=about["rows"],
        failed=about["failed"],
        objective=objective,
        cost=cost,
        goal=goal,
        best=sign * about["optimum"],
        mean_cost=about["mean_cost"],
        cost_spread=about["cost_spread"],
        most_evaluations=about["most_evaluations"],
        notes=[*about["notes"], *_notes(about)],
        cells=[_cell_of(record, sign, about["optimum"]) for record in cells],
    )


def _notes(about: Mapping[str, Any]) -> list[str]:
    texts = {
        "failed": "have no objective and count as failed",
        "left_out": "were left out: a value is missing",
        "repeated": "have a configuration again",
    }
    return [f"{about[key]} rows {words}" for key, words in texts.items() if about[key]]


def _names(names: Iterable[str], what: str, header: Sequence[str]) -> Iterable[str]:
    if isinstance(names, str):
        raise InvalidOptions(f"{what} is {names!r}; give a list of columns")
    for name in names:
        if name not in header:
            raise InvalidOptions(f"{what}: no column is called {name!r}; there are {', '.join(header)}")
        yield name


def _cells(frame: Any, space: Space | None) -> tuple[list[str], list[list[str]]]:
    """Names of columns, and all cells as texts; those of categories as their labels."""
    names = list(frame.keys()) if hasattr(frame, "keys") else None
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidObservation(
            f"the table is a {type(frame).__name__} with the columns {names}; give a pandas data frame, or a mapping of "
            "columns by names that are texts"
        )
    known = {} if space is None else space.parameters
    columns = []
    for name in names:
        parameter = known.get(name)
        values = frame[name].tolist() if hasattr(frame[name], "tolist") else list(frame[name])
        if parameter is None or not parameter.labels:
            columns.append([_text(value) for value in values])
            continue
        try:
            columns.append(["" if _missing(value, parameter.values) else parameter._plain(name, value) for value in values])
        except InvalidConfiguration as error:
            raise InvalidObservation(f"frame: column {error}") from None
    if len({len(column) for column in columns}) != 1:
        raise InvalidObservation(f"the columns have different lengths: {dict(zip(names, map(len, columns)))}")
    return names, [list(row) for row in zip(*columns)]


def _missing(value: Any, known: Sequence[Any] = ()) -> bool:
    if value is None:
        return None not in known
    return type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value))


def _text(value: Any) -> str:
    if _missing(value):
        return ""
    if hasattr(value, "item"):
        value = value.item()
    return repr(value) if isinstance(value, float) else str(value)


def _amount(budget: float | str, mean_cost: float) -> float:
    try:
        amount = float(budget[:-1]) * mean_cost if isinstance(budget, str) and budget.endswith("x") else float(budget)
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount > 0):
        raise InvalidOptions(
            f"the budget {budget!r} is none; give such as \"50x\", mean costs of a row, or a number above 0 in the unit "
            "of the cost column"
        )
    return amount


def _cell_of(record: Mapping[str, Any], sign: float, optimum: float) -> ReplayCell:
    def objective(regret: float) -> float:
        return sign * (optimum + regret) if math.isfinite(regret) else math.nan

    def method(one: dict[str, Any]) -> ReplayMethod:
        curves = {name: [objective(regret) for regret in one[name]] for name in ("lower", "median", "upper")}
        runs = [
            ReplayEvaluation(seed, row, phase, cost, spent, sign * value if math.isfinite(value) else None)
            for seed, _, steps in one["runs"]
            for row, phase, cost, spent, value in steps
        ]
        return ReplayMethod(**{**one, **curves, "runs": runs})

    return ReplayCell(
        record["batch"],
        record["budget"],
        [method(one) for one in record["methods"]],
        [ReplaySavings(*one) for one in record["savings"]],
    )
