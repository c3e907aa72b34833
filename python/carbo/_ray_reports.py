"""What reports of Tune's trials say: what trials cost, and which there are."""
from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from . import _carbo
from ._converted_space import flat
from ._errors import InvalidObservation, InvalidOptions

_log = logging.getLogger("carbo")
_SECONDS = ("time_total_s", "time_this_iter_s")  # that Tune itself reports

#: The name of a reported number, or a callable of a report.
Cost = Union[str, Callable[[Mapping[str, Any]], float]]


class Costs:
    """In the unit of a study."""

    def __init__(self, cost: Cost, unit: str) -> None:
        self._cost = cost
        self._per_unit = _carbo.seconds_per_unit(unit) if cost in _SECONDS else 1.0
        if self._per_unit == 0:
            raise InvalidOptions(
                f"cost is {cost!r}, which are seconds, but the unit of the budget is {unit!r}; name a reported number "
                "in that unit as cost=, or give a unit of time"
            )

    def of(self, trial: str, report: Mapping[str, Any]) -> float:
        names = ", ".join(sorted(str(name) for name in report))
        if not callable(self._cost) and report.get(self._cost) is None:
            raise InvalidObservation(
                f"the report of trial {trial} has no cost {self._cost!r}; give one of {names} as cost="
            )
        try:
            given = self._cost(report) if callable(self._cost) else report[self._cost]
        except Exception as error:
            raise InvalidObservation(
                f"the callable that is given as cost= raised {type(error).__name__}: {error} for trial {trial}, whose "
                f"report has {names}"
            ) from error
        try:
            return float(given) / self._per_unit
        except (TypeError, ValueError) as error:
            said = "the callable of cost=" if callable(self._cost) else repr(self._cost)
            raise InvalidObservation(
                f"the cost of trial {trial} is {given!r} by {said}; a cost is a finite number above 0"
            ) from error

    @property
    def are_tunes(self) -> bool:
        """Whether Tune itself counts them, from the beginning of a trial or from its checkpoint on."""
        return self._cost == "time_total_s"

    def known(self, trial: str, report: Mapping[str, Any] | None, level: int = logging.WARNING) -> float | None:
        """None where there is none, as of a trial that failed before it had reported everything."""
        if report is None:
            return None
        try:
            cost = self.of(trial, report)
        except InvalidObservation as error:
            _log.log(level, "a cost is not known: %s", error)
            return None
        return cost if math.isfinite(cost) and cost > 0 else None


@dataclass
class Attempts:
    """Of a trial that Tune begins anew, or goes on with from a checkpoint: iterations are counted from there again, and
    so is the cost."""

    former: float = 0.0  # cost of what earlier attempts did and the present one does not count
    _at: dict[int, float] = field(default_factory=dict)  # cost of the present one, by iteration

    def take(self, costs: Costs, trial: str, report: Mapping[str, Any]) -> None:
        iteration = report.get("training_iteration")
        if iteration is None:
            return
        now = costs.known(trial, report, logging.DEBUG)
        ended = max(self._at, default=0)
        if iteration <= ended:
            before = self._at[ended]
            # The last report comes twice; and a cost that is not Tune's may be counted through all attempts.
            if now is None or now < before or (now > before and costs.are_tunes):
                self._begin_anew(iteration, now, before)
        if now is not None:
            self._at[iteration] = now

    def _begin_anew(self, iteration: int, now: float | None, before: float) -> None:
        self._at = {each: cost for each, cost in self._at.items() if each < iteration}
        kept = self._at[max(self._at)] if self._at else 0.0
        if now is not None and now < kept:  # it goes on from a checkpoint, but its cost does not
            kept, self._at = 0.0, {}
        self.former += before - kept


@dataclass
class KnownTrial:
    """A trial of another run."""

    config: Mapping[str, Any]
    value: float | None  # None where it failed
    cost: float | None = None
    report: Mapping[str, Any] | None = None  # says what it cost
    name: str = ""


def known_trials(given: Any, metric: str) -> Iterator[KnownTrial]:
    for trial in _trials_of(given):
        report = flat((trial.last_result if hasattr(trial, "last_result") else trial.metrics) or {})
        if metric not in report:
            _log.warning("a trial without '%s' is left out", metric)
            continue
        failed = getattr(trial, "status", None) == "ERROR" or getattr(trial, "error", None) is not None
        name = str(getattr(trial, "trial_id", None) or report.get("trial_id", "of another run"))
        value = None if failed or report[metric] is None else float(report[metric])
        yield KnownTrial(trial.config, value, report=report, name=name)


def _trials_of(given: Any) -> list[Any]:
    """Of an ``ExperimentAnalysis``, a ``ResultGrid``, several trials, or one."""
    if hasattr(given, "trials"):
        return list(given.trials)
    if isinstance(given, Iterable):
        return list(given)
    if hasattr(given, "__len__") and hasattr(given, "__getitem__"):
        return [given[index] for index in range(len(given))]
    return [given]
