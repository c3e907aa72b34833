"""What a run found and how far it is, to be looked at."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._display import Shown
from ._records import Trial
from ._space import Params

if TYPE_CHECKING:
    from ._study import Study


@dataclass(frozen=True)
class Result(Shown):
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


@dataclass(frozen=True)
class Progress:
    """State of a run, after every evaluation."""

    phase: str | None
    evaluations: int
    failures: int
    running: int
    spent: float
    budget: float
    elapsed_seconds: float
    best_objective: float | None
    params: Params  #: of the evaluation that just ended
    objective: float | None  #: of it; None where it failed
    reason: str  #: why it failed
