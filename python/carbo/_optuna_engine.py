"""A study of Carbo's that follows the trials of one of Optuna's."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from ._optuna_trials import Outcome, known_params, place
from ._space import Params, Space
from ._study import Study

_MOST_ADOPTED = 4000  # running trials; the engine holds 4,096 pending points


@dataclass
class _Held:
    """A trial that runs, as the engine knows it."""

    id: int
    point: Params


class Domain:
    """A space as Optuna and as Carbo have it."""

    def __init__(self, distributions: Mapping[str, BaseDistribution]) -> None:
        self.distributions = dict(distributions)
        self.space = Space.from_optuna(distributions)

    def place(self, values: Params) -> Params | None:
        """The point that has these values; None where they lie outside."""
        return place(values, self.space, self.distributions)

    def point_of(self, trial: FrozenTrial) -> Params | None:
        """Where a trial runs or ran; None where that is not known yet, or outside the space."""
        values = known_params(trial, self.distributions)
        return None if values is None else self.place(values)

    def numbers(self, point: Params) -> dict[str, float]:
        """As Optuna stores them."""
        return {name: float(each.to_internal_repr(point[name])) for name, each in self.distributions.items()}


class Follower:
    """An engine in memory, the trials that it was told of, and the points of those that run.

    Trials are told once: what is new is appended. Whoever holds it makes another one where the space or the budget is
    another.
    """

    def __init__(
        self,
        domain: Domain,
        settings: Mapping[str, Any],
        outcome: Callable[[FrozenTrial], Outcome],
    ) -> None:
        self.domain = domain
        self.study = Study(domain.space, **settings)
        self._outcome = outcome
        self._running: dict[int, _Held] = {}
        self._told: set[int] = set()

    def knows(self, trial: FrozenTrial) -> bool:
        return trial.number in self._told or trial.number in self._running

    def follow(self, trials: Iterable[FrozenTrial]) -> None:
        """Learns what became of trials, and adopts those that run."""
        for trial in trials:
            if trial.number in self._told or trial.state == TrialState.WAITING:
                continue
            point = self.domain.point_of(trial)
            held = self._running.get(trial.number)
            if held is not None and held.point != point:
                self.forget(trial.number)
                held = None
            if trial.state.is_finished():
                if point is not None:
                    self._learn(trial, point)
                    self._told.add(trial.number)
            elif held is None and point is not None and len(self._running) < _MOST_ADOPTED:
                self._running[trial.number] = _Held(self.study.adopt(point), point)

    def ask(self, number: int, fixed: Params) -> Params | None:
        """A point for a trial, with the values that were fixed for it; None where there is nothing left to try."""
        for suggestion in self.study.ask(1):
            point = self.domain.place({**suggestion.params, **fixed})
            if point == suggestion.params:
                self._running[number] = _Held(suggestion.id, point)
                return point
            self.study.withdraw(suggestion)
            if point is not None:
                self._running[number] = _Held(self.study.adopt(point), point)
            return point or {**suggestion.params, **fixed}
        return None

    def forget(self, number: int) -> None:
        """Takes back the point of a trial that runs."""
        held = self._running.pop(number, None)
        if held is not None:
            self.study.withdraw(held.id)

    def _learn(self, trial: FrozenTrial, point: Params) -> None:
        outcome = self._outcome(trial)
        if not outcome.charged or (outcome.state == "succeeded" and outcome.cost is None):
            self.forget(trial.number)
            self._learn_prior(point, outcome)
            return
        held = self._running.get(trial.number)
        if held is None:
            held = self._running[trial.number] = _Held(self.study.adopt(point), point)
        if outcome.objective is not None and outcome.cost is not None:
            self.study.tell(held.id, outcome.objective, outcome.cost)
        else:
            self.study.fail(held.id, outcome.cost or 0.0, outcome.reason, timed_out=outcome.state == "timed_out")
        del self._running[trial.number]

    def _learn_prior(self, point: Params, outcome: Outcome) -> None:
        if outcome.objective is not None:
            self.study.tell(point, outcome.objective, outcome.cost)
            return
        unknown = float("nan")
        cost = unknown if outcome.cost is None else outcome.cost
        self.study.fail(point, cost, outcome.reason, timed_out=outcome.state == "timed_out")
