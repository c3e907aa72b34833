"""How a trial of Optuna's gets its point: one that no other trial has, in whatever process that runs."""
from __future__ import annotations

import math
import os
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.search_space import IntersectionSearchSpace
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from ._errors import InvalidSpace
from ._optuna_engine import Domain, Follower
from ._optuna_trials import POINT, SETTLED, Outcome, publish, settle
from ._space import Params, Space

_PATIENCE = 30.0  # seconds that a trial waits for one that chose the same point at the same moment
_MOST_ATTEMPTS = 100


def all_trials(study: optuna.Study) -> list[FrozenTrial]:
    """Of the whole study, where a pruner divides it, too."""
    return list(study._storage.get_all_trials(study._study_id, deepcopy=False))


def varying(distributions: Mapping[str, BaseDistribution]) -> dict[str, BaseDistribution]:
    """Those with more than one value; what is no distribution is left for others to refuse."""
    return {name: each for name, each in distributions.items() if not hasattr(each, "single") or not each.single()}


class Chooser:
    """Points for the trials of one study at a time, by an engine that is kept from one to the next."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        budget: float,
        outcome: Callable[[FrozenTrial], Outcome],
        search_space: Mapping[str, BaseDistribution] | None,
    ) -> None:
        self._settings = dict(settings)
        self._budget = budget
        self._outcome = outcome
        self._search_space = None if search_space is None else varying(search_space)
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._turn = threading.RLock()
        self._said: set[str] = set()
        self._forget_study()

    def _forget_study(self) -> None:
        self._study: tuple[int, str] | None = None
        self._intersection = IntersectionSearchSpace()
        self._domain: Domain | None = None
        self._follower: Follower | None = None
        self._followed: tuple[Any, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_settings", "_budget", "_outcome", "_search_space")
        return {key: self.__dict__[key] for key in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def turn(self) -> threading.RLock:
        """To be held while points are chosen. After a fork everything is made anew."""
        if os.getpid() != self._process:
            self._begin()
        return self._turn

    def leaves_out(self, name: str, distribution: BaseDistribution) -> bool:
        """Whether suggestions are made, and have no such parameter."""
        return self._follower is not None and self._follower.domain.distributions.get(name) != distribution

    @property
    def beyond_budget(self) -> bool:
        """Whether the last point was chosen when the budget was spent."""
        return bool(self._followed) and self._followed[0] > self._budget

    def say(self, key: str, words: str) -> None:
        """Warns, once for each key."""
        if key not in self._said:
            self._said.add(key)
            warnings.warn(words, stacklevel=2)

    def spent(self, trials: list[FrozenTrial]) -> float:
        """What finished trials cost, as far as they are charged; whatever the order, the same."""
        outcomes = [self._outcome(trial) for trial in trials if trial.state.is_finished()]
        return math.fsum(each.cost or 0.0 for each in outcomes if each.charged)

    def space_of(self, study: optuna.Study) -> dict[str, BaseDistribution]:
        """What suggestions are made for: the space that was given, or what all completed trials share."""
        self._belong_to(study)
        if self._search_space is not None:
            return dict(self._search_space)
        shared = varying(self._intersection.calculate(study))
        return {name: each for name, each in shared.items() if self._searchable(name, each)}

    def follower(
        self, study: optuna.Study, space: Mapping[str, BaseDistribution], trials: list[FrozenTrial]
    ) -> Follower:
        """The engine for a space. It is the last one where space and budget are the same, else everything is told
        again."""
        self._belong_to(study)
        domain = self._domain_of(space)
        limit, spent = self._budget, self.spent(trials)
        while spent >= limit:  # beyond the budget it goes on as if there were twice as much
            limit *= 2
        goal = _goal(study)
        # Charged trials without a point in the space, such as those that failed before their last parameter.
        known = self._follower if self._follower is not None and self._follower.domain is domain else None
        elsewhere = self.spent(
            [each for each in trials if not (known and known.knows(each)) and domain.point_of(each) is None]
        )
        key = (limit, elsewhere, goal)
        if self._follower is None or self._follower.domain is not domain or self._followed != key:
            settings = {**self._settings, "budget": limit - elsewhere, "goal": goal}
            self._follower, self._followed = Follower(domain, settings, self._outcome), key
        self._follower.follow(trials)
        return self._follower

    def told_anew(self, study: optuna.Study, space: Mapping[str, BaseDistribution]) -> Follower:
        """An engine of the caller's own, with the whole budget, that knows what all trials say."""
        settings = {**self._settings, "budget": self._budget, "goal": _goal(study)}
        made = Follower(Domain(space), settings, self._outcome)
        made.follow(all_trials(study))
        return made

    def choose(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        space: Mapping[str, BaseDistribution],
        sampled: Callable[[], float],
    ) -> Params | None:
        """A point that no other trial runs or ran; None where none is left. `sampled`: seconds that it took so far.

        It is published, then looked at what others published. Of two that chose the same at the same moment the later
        trial chooses again, and the earlier one waits until that one has changed its mind or, not having seen it,
        has settled: then the earlier one chooses again.
        """
        fixed = {name: value for name, value in _fixed(trial).items() if name in space}
        for attempt in range(_MOST_ATTEMPTS):
            others = [each for each in all_trials(study) if each.number != trial.number]
            follower = self.follower(study, space, others)
            point = follower.ask(trial.number, fixed)
            if point is None:
                return None
            publish(study, trial, attempt, follower.domain.numbers(point))
            if fixed.keys() >= space.keys() or not self._taken(study, trial, follower, point):
                break
            follower.forget(trial.number)
        settle(study, trial, attempt, sampled())
        return point

    def _taken(self, study: optuna.Study, trial: FrozenTrial, follower: Follower, point: Params) -> bool:
        begin = time.monotonic()
        while True:
            same = [
                each
                for each in all_trials(study)
                if each.number != trial.number and not follower.knows(each) and follower.domain.point_of(each) == point
            ]
            if any(each.number < trial.number or _holds(each) for each in same):
                return True
            if not same:
                return False
            if time.monotonic() - begin > _PATIENCE:
                return True
            time.sleep(0.01)

    def _belong_to(self, study: optuna.Study) -> None:
        which = (id(study._storage), study.study_name)
        if self._study != which:
            self._forget_study()
            self._study = which

    def _searchable(self, name: str, distribution: BaseDistribution) -> bool:
        try:
            Space.from_optuna({name: distribution})
        except InvalidSpace as error:
            self.say(f"independent {name}", f"parameter '{name}' is drawn independently: {error}")
            return False
        return True

    def _domain_of(self, space: Mapping[str, BaseDistribution]) -> Domain:
        if self._domain is None or self._domain.distributions != dict(space):
            self._domain = Domain(space)
        return self._domain


def _goal(study: optuna.Study) -> str:
    return "maximize" if study.directions[0] == StudyDirection.MAXIMIZE else "minimize"


def _fixed(trial: FrozenTrial) -> dict[str, Any]:
    return dict(trial.system_attrs.get("fixed_params", {}))


def _holds(trial: FrozenTrial) -> bool:
    """Whether the point of a trial will not change any more."""
    attributes = trial.system_attrs
    chosen_here = any(key.startswith(POINT) for key in attributes)
    return trial.state.is_finished() or not chosen_here or SETTLED in attributes
