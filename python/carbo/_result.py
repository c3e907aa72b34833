"""What a run found, to be looked at."""
from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _display
from ._records import Trial

if TYPE_CHECKING:
    from ._study import Study


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


@dataclass(frozen=True)
class Result:
    """What a run found. Pickles, without the study."""

    best: Trial | None  #: None where no evaluation succeeded
    trials: list[Trial]
    spent: float
    budget: float
    unit: str
    goal: str
    stop_reason: str
    elapsed_seconds: float
    error: str = ""  #: the last failure's reason, where failures ended the run
    warnings: list[str] = field(default_factory=list)
    study: Study | None = field(default=None, compare=False, repr=False)  #: goes on: ``minimize(f, result.study)``

    def to_pandas(self) -> Any:
        """All trials as a data frame; needs pandas."""
        return trials_to_pandas(self.trials)

    def plot(self, ax: Any = None) -> Any:
        """The best objective over what was spent; needs matplotlib. Returns the axes."""
        return _display.plot(self.trials, self.goal, self.unit, ax)

    def _repr_html_(self) -> str:
        return _display.html(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "study": None}


def result_of(study: Study, elapsed: float, cancelled: bool = False) -> Result:
    trials = study.trials
    options = study.options
    reason = "cancelled" if cancelled and not study.done else study.stop_reason
    failed = [trial for trial in trials if trial.state in ("failed", "timed_out")]
    failed.sort(key=lambda trial: trial.sequence or 0)
    return Result(
        best=study.best,
        trials=trials,
        spent=study.spent,
        budget=study.budget,
        unit=str(options["cost"]["unit"]),
        goal=str(options["goal"]),
        stop_reason=reason,
        elapsed_seconds=elapsed,
        error=failed[-1].reason if reason == "too many failures in a row" else "",
        warnings=study.warnings,
        study=study,
    )
