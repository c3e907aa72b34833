"""What reports of Tune's trials say: what trials cost, and which there are."""
from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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

    def known(self, trial: str, report: Mapping[str, Any] | None) -> float | None:
        """None where there is none, as of a trial that failed before it had reported everything."""
        if report is None:
            return None
        try:
            cost = self.of(trial, report)
        except InvalidObservation as error:
            _log.warning("a cost is not known: %s", error)
            return None
        return cost if math.isfinite(cost) and cost > 0 else None

    def of_former_attempt(self, trial: str, before: Mapping[str, Any] | None, report: Mapping[str, Any]) -> float:
        """What a trial cost before Tune began it anew, where `report` is the first one after that: its iterations are
        counted from the beginning again, and so is its cost."""
        ended, begins = (each.get("training_iteration") for each in (before or {}, report))
        if ended is None or begins is None or begins > ended:
            return 0.0
        former = self.known(trial, before)
        if former is None:
            return 0.0
        now = self.known(trial, report)
        return former if now is None or now < former else 0.0


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
